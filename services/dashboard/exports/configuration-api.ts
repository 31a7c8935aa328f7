// API client for the worker of configuration files: requests with the session of the page.
import type { PageApi } from '#shared/contracts/session/configuration-script.ts'
import { askV3, Refusal } from '../data/api.ts'
import { askV2In } from '../data/api-v2.ts'
import { readPageOf } from '../data/paged.ts'

/** Returns a client for one workspace. The client also works while the page shows another workspace. */
export const configurationApi = (workspace: string): PageApi => ({
  all: path => askV3('GET', path),
  page: (path, query, cursor) => readPageOf(`${path}?${new URLSearchParams({ ...query, limit: '200' })}`, cursor),
  call: ({ method, path, body }) => askV3(method, path, bodyOf(body)),
  // Drops the query of the path. The query could only name the workspace, which `askV2In` adds again.
  classic: ({ method, path, body }) => askV2In(workspace, method, path.split('?', 1)[0] ?? path, bodyOf(body)),
  isGone: error => error instanceof Refusal && error.status === 410,
  reasonOf: error =>
    error instanceof Refusal
      ? { words: error.field === null ? error.message : `${error.field}: ${error.message}`, isUnanswered: error.status === 0 }
      : null,
})

const bodyOf = (body: unknown): object | undefined => (typeof body === 'object' && body !== null ? body : undefined)
