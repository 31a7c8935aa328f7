// Button that copies the shell command with which a sender reports on a signal.
import { Copy } from '../parts/copy.tsx'
import { curlOf } from './curl.ts'

export const CopyCurl = (of: { workspace: string; resource: string; signal: string }) => (
  <Copy noun="Command" words="Copy as curl" text={curlOf({ origin: location.origin, ...of })} />
)
