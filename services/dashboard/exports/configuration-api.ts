// Configuration of a workspace over generation 3. The workspace is an argument, because an import goes on while another one is shown.
import type { AppliedConfiguration, ExportedConfiguration } from '#shared/contracts/session/configuration.ts'
import { askV3 } from '../data/api.ts'
import type { ImportRequest } from './import-state.ts'

const pathOf = (workspace: string): string => `/workspaces/${encodeURIComponent(workspace)}/configuration`

export const exportConfiguration = (workspace: string): Promise<ExportedConfiguration> =>
  askV3('GET', `${pathOf(workspace)}?form=document`)

export const sendConfiguration =
  (workspace: string) =>
  (request: ImportRequest): Promise<AppliedConfiguration> =>
    askV3('POST', pathOf(workspace), request)
