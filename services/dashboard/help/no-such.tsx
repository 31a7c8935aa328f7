// Page shown for an object that does not exist, or that the person may not see.

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
