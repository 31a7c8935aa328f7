// A command in one workspace over generation 3 of the API.
import { apiPath } from '#shared/api-v3/api-path.ts'
import type { ApiOptions } from '../noun.ts'
import { type Workspace, workspaceOf } from './look-up-api.ts'
import { type Api, withApi } from './with-api.ts'

export interface InWorkspace {
  api: Api
  workspace: Workspace
  /** Path of the workspace in the API. */
  root: string
}

export async function withWorkspace<T>(options: ApiOptions, run: (place: InWorkspace) => Promise<T>): Promise<T> {
  return withApi(options, async api => {
    const workspace = await workspaceOf(api, options.workspace)
    return run({ api, workspace, root: apiPath`/workspaces/${workspace.id}` })
  })
}
