// Page that is shown if an object does not exist, or if the person may not see it.

export const NoSuch = ({ noun }: { noun: string }) => (
  <>
    <h1>There is no such {noun}</h1>
    <section class="empty">
      <h2>It was deleted, or it is in a workspace of others</h2>
      <p>
        <a href="/">To the monitoring page</a>
      </p>
    </section>
  </>
)
