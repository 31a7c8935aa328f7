// Page in place of a monitor that does not exist, or that the person may not see.
import { Empty } from '../parts/states.tsx'

export const NoMonitor = () => (
  <>
    <h1>There is no such monitor</h1>
    <Empty title="It was deleted, or it is in a workspace of others">
      <p>
        <a href="/">To the monitoring page</a>
      </p>
    </Empty>
  </>
)
