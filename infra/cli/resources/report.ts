// One report to the API or to an Observation address. The report is retried until the server responds. The server stores a repeated
// report only once, because each report has an id.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { createReporter } from '#shared/api-v3/client.ts'
import { ApiRefusal, ApiUnreachable } from '#shared/api-v3/errors.ts'
import { doubled, retry } from '#shared/async/retry.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { resourceOf, workspaceOf } from '../api/look-up-api.ts'
import { asStartError, userAgent, withApi } from '../api/with-api.ts'
import type { ApiOptions } from '../noun.ts'
import { startProgress } from '../terminal/progress.ts'
import { looseValue, readPairs, resourcePath } from './pairs.ts'

export interface Report {
  resource: string
  signal: string
  state: 'ok' | 'problem' | 'no_data'
  value?: number | undefined
  reason?: string | undefined
  at?: string | undefined
  id?: string | undefined
  labels?: Record<string, string> | undefined
}

export interface Accepted {
  resource: string
  signal: string
  observation: string
  created_signal: boolean
}

export interface ReportOptions extends ApiOptions {
  address?: string
  template?: string
  meta?: string[]
  /** Time for all attempts, ms. */
  patience: number
}

/** Throws a StartError if the server refuses the report, or does not respond within `patience`. */
export async function sendReport(report: Report, options: ReportOptions): Promise<Accepted> {
  const sent = { ...report, id: report.id ?? randomId(idLength.session) }
  const address = options.address ?? (options.url === undefined && options.profile === undefined ? addressSetting() : undefined)
  const progress = startProgress('the report is sent …')
  try {
    const attempt = () => (address === undefined ? overApi(sent, options) : atAddress(address, sent, options))
    const pauseMs = doubled(clientLimits.reportPauseMs, clientLimits.reportPauseMsMax)
    return await retry(attempt, { clock: createSystemClock(), withinMs: options.patience, pauseMs, mayPass: isAway })
  } finally {
    progress.end()
  }
}

const addressSetting = (): string | undefined => process.env['WATCHKEEPER_ADDRESS']?.trim() || undefined

async function overApi({ resource: named, ...body }: Report, options: ReportOptions): Promise<Accepted> {
  return withApi(options, async api => {
    const { id: workspaceId } = await workspaceOf(api, options.workspace)
    const root = apiPath`/workspaces/${workspaceId}`
    const direct = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/.test(named)
    const send = (reference: string) => api.send<Accepted>('POST', `${resourcePath(root, reference)}/observations`, body)
    if (!direct) return send((await resourceOf(api, workspaceId, named)).id)
    try {
      return await send(named)
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 404) throw error
      return send((await resourceOf(api, workspaceId, named)).id)
    }
  })
}

/** Most Observation addresses need no key. WATCHKEEPER_OBSERVATION_KEY is the key for an address that requires a key as a second factor. */
async function atAddress(url: string, report: Report, { template, meta }: ReportOptions): Promise<Accepted> {
  const answers = meta && Object.entries(readPairs('--meta', meta, false)).map(([key, text]) => [key, looseValue(text)])
  const secondFactor = process.env['WATCHKEEPER_OBSERVATION_KEY']?.trim() || null
  const body = { ...report, template_id: template, meta: answers && Object.fromEntries(answers) }
  try {
    return (await createReporter({ url, secondFactor, userAgent }).report(body)) as Accepted
  } catch (error) {
    if (error instanceof ApiUnreachable && error.base === null) {
      throw usageError(`The Observation address can't be called: ${error.message}.`)
    }
    if (!(error instanceof ApiRefusal)) throw asStartError(error)
    if (isUnknownResource(error, body)) throw new StartError(unknownResource(report.resource), exitCodes.notFound)
    if (error.status === 404) throw new StartError('There is no such Observation address.', exitCodes.notFound)
    if (error.status === 401) {
      const sentence = 'The Observation address wants a full key of an editor or owner in WATCHKEEPER_OBSERVATION_KEY.'
      throw new StartError(sentence, exitCodes.refused)
    }
    throw asStartError(error)
  }
}

/**
 * Returns true if the refusal means that the Resource is unknown. This includes a refusal of the field `resource` because its text has a
 * wrong length.
 */
const isUnknownResource = ({ status, body }: ApiRefusal, sent: { resource: string; template_id: string | undefined }): boolean =>
  status === 422 &&
  body.details['field'] === 'resource' &&
  sent.template_id === undefined &&
  sent.resource !== '' &&
  sent.resource.length <= referenceCharacters

const referenceCharacters = 128

const unknownResource = (named: string) =>
  `There is no Resource "${named}" at the Observation address: correct its id or key, or make it by this report with --template.`

const isAway = (error: unknown): boolean => error instanceof StartError && error.exitCode === exitCodes.notRunning
