// Messages between the gateway and the thread that plans configuration. The thread works on one job at a time.
import type { AppliedConfiguration, ConfigurationFault, ExportedConfiguration } from '#shared/contracts/session/configuration.ts'
import type { ApiReply, ApiRequest } from './api.ts'
import type { FilesToApply } from './apply-files.ts'

export type Job = { workspace: string } & ({ apply: FilesToApply } | { export: 'files' | 'document' })

export type ToThread =
  | { job: Job; number: number }
  | { replyTo: number; reply: ApiReply }
  /** No further step may begin. */
  | { stop: true }

export type JobResult = AppliedConfiguration | ExportedConfiguration

/** How a job ended. `broken`: the thread failed, which is a fault of the program. */
export type JobEnd =
  | { result: JobResult }
  | { faults: ConfigurationFault[]; sentence: string }
  | { refused: { status: number; words: string } }
  | { broken: string }

/** `of`: number of the job. What comes of an ended job is ignored, or its requests would be sent in the name of the next caller. */
export type FromThread = { of: number } & ({ call: number; request: ApiRequest } | { isPlanned: true } | { end: JobEnd })
