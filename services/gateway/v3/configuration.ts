// GET and POST /workspaces/{ws}/configuration: a workspace as files, and files applied to a workspace. Reference: docs/reference/v3.md,
// section 15.
import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { AppliedConfiguration, ExportedConfiguration } from '#shared/contracts/session/configuration.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { FilesToApply } from '../configuration/apply-files.ts'
import { ownRequests } from '../configuration/own-requests.ts'
import type { GatewayContext } from '../context.ts'
import { invalid, route, type V3Call } from './common.ts'

const bounds = limits.configuration
const needs = { role: 'editor', scope: 'full' } as const

const get = route('GET', '/workspaces/:workspace/configuration', {
  summary: 'The workspace as configuration files, without secrets.',
  needs,
  isAudited: false,
  query: {
    form: { schema: Type.Enum(['files', 'document']), meaning: '`document`: one text for all files. `files` unless sent.' },
  },
  budgetMs: null,
  result: ExportedConfiguration,
  refusals: ['413', '422 form', '429'],
  handler: async (context, call) => {
    const form = call.query['form'] === 'document' ? 'document' : 'files'
    const exported = await run(context, call, { export: form })
    const { files = {}, document = '' } = exported as ExportedConfiguration
    requireSmall([...Object.values(files), document])
    return exported
  },
})

const Texts = (description: string) => Type.Object({}, { additionalProperties: true, description })

const ApplyBody = Strict({
  files: Type.Optional(Texts('YAML or JSON, by the name of each file.')),
  document: Type.Optional(Type.String({ description: 'Instead of files: one text.' })),
  values: Type.Optional(Texts('Values that no file shows, such as URLs of new destinations, by their variables.')),
  dry_run: Type.Optional(Type.Boolean({ description: 'Plans, and stores nothing.' })),
  prune: Type.Optional(Type.Boolean({ description: 'Also deletes what no file names; Resources are archived, Templates stay.' })),
})

const apply = route('POST', '/workspaces/:workspace/configuration', {
  summary: 'Makes the workspace what configuration files say; a second request changes nothing.',
  more: 'Refused as a whole if any file is faulty. If `state` is `unfinished`, or no response arrives, send the same request again to go on.',
  needs,
  body: ApplyBody,
  bodyBytes: bounds.bodyBytes,
  budgetMs: null,
  result: AppliedConfiguration,
  refusals: ['413', '422 files', '422 document', '422 values', '429'],
  examples: [
    {
      document: 'kind: Destination\nname: On call\ntype: slack\n',
      dry_run: true,
      values: { WATCHKEEPER_DESTINATION_ON_CALL_URL: 'https://hooks.example.com/on-call' },
    },
  ],
  handler: (context, call) => run(context, call, { apply: filesOf(call.body) }),
})

const run = (
  { planner }: GatewayContext,
  { request, workspaceId: workspace }: V3Call,
  job: { apply: FilesToApply } | { export: 'files' | 'document' },
) => planner.run({ workspace, ...job }, ownRequests(request), request.arrivedAt)

function filesOf({
  files,
  document,
  values = {},
  dry_run: isDryRun = false,
  prune = false,
}: Static<typeof ApplyBody>): FilesToApply {
  if ((files === undefined) === (document === undefined)) {
    throw invalid(files === undefined ? 'files' : 'document', "Send 'files' or 'document', and not both")
  }
  const sent = document === undefined ? textsOf('files', files ?? {}) : { document }
  if (Object.keys(sent).length > bounds.files) throw invalid('files', `There are at most ${bounds.files} files`)
  requireSmall(Object.values(sent))
  return { files: sent, values: textsOf('values', values), isDryRun, prune }
}

function textsOf(field: string, sent: object): Record<string, string> {
  for (const [name, text] of Object.entries(sent)) {
    if (typeof text !== 'string') throw invalid(field, `Each member of '${field}' must be a text`)
    if (name.length === 0 || name.length > 1_024) throw invalid(field, `A name in '${field}' has 1 to 1024 characters`)
  }
  return sent as Record<string, string>
}

function requireSmall(texts: readonly string[]): void {
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= bounds.bytes) return
  throw refusal('too_large', 'Too large', `Configuration files have at most ${bounds.bytes} bytes together`)
}

export const configurationRoutes = [get, apply]
