// Memory of generation 3: memory that 10,000 Resources with reports add to a system. Their Template has three rules.

import { anyProblem, isProblem, rule, seedResources } from '../fleets/resource-fleet.ts'
import { measureMemory } from '../ingest/ingest-memory.ts'
import type { PartResult, Run } from '../run/run-context.ts'

const signals = 2
const rules = [
  anyProblem(['s1', 's2']),
  rule('both', { all: [isProblem('s1'), { not: { signal: 's2', field: 'known' } }] }),
  rule('high', { signal: 's1', field: 'value', operator: 'gt', operand: 90, min_count: 3, within_seconds: 3_600 }),
]

export const v3Memory = (run: Run): Promise<PartResult> =>
  measureMemory(run, {
    part: 'v3-memory',
    named: 'Resources of a Template with three rules',
    budgetMb: 300,
    seed: (connection, workspaceId, resources) =>
      seedResources(connection, { workspaceId, template: 'held', resources, signals, rules }),
  })
