// Starts a worker for configuration files of the present workspace.
import type { ReadingProgress } from '#shared/contracts/session/configuration-script.ts'
import { workspaceId } from '../data/session.ts'
import { configurationApi } from './configuration-api.ts'
import { beginWorker, createScript, type Script } from './script.ts'

export function openScript(onProgress: (progress: ReadingProgress) => void = () => {}): Script {
  const workspace = workspaceId.peek() ?? ''
  return createScript({ worker: beginWorker(), api: configurationApi(workspace), workspace, onProgress })
}
