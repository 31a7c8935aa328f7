// Health of the installation for its administrators: conditions that need attention. Reference: docs/reference/v3.md, section 16.
import { Type } from 'typebox'
import { conditionKinds } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant, writerOf } from '../../body/result-schema.ts'
import { administering, route } from '../common.ts'

const Condition = Answered('Condition', {
  kind: Type.Enum([...conditionKinds]),
  name: Type.String({ description: 'Of the location, key or destination; else empty.', examples: ['frankfurt'] }),
  since: Instant,
  summary: Type.String({ examples: ['No prober of frankfurt has lived for 5 minutes.'] }),
})

export const HealthObject = Answered('Health', {
  at: Instant,
  version: Type.String({ examples: ['2.0.0'] }),
  conditions: Type.Array(Condition, { description: `The oldest first, at most ${limits.operator.listed}.` }),
})

const conditionObject = writerOf(Condition)

const showHealth = route('GET', '/health', {
  summary: 'What the operator should look at.',
  needs: administering,
  isAudited: false,
  result: HealthObject,
  handler: async ({ clock, directory, version }, { traceId }) => ({
    at: timestamp(clock.now()),
    version,
    conditions: (await directory.ask('list-conditions', {}, traceId)).map(conditionObject),
  }),
})

export const healthRoutes = [showHealth]
