// Ingest: check results by the bus; pushed observations over REST, by the bus and in bursts; memory of a fleet of custom subjects.
import { ingestMemory } from '../ingest/ingest-memory.ts'
import { ingestBurst, ingestObservations } from '../ingest/ingest-observations.ts'
import { ingestResults } from '../ingest/ingest-results.ts'
import type { PartResult, Run } from '../run/run-context.ts'

export async function ingest(run: Run): Promise<PartResult> {
  const found: PartResult[] = []
  for (const measure of [ingestResults, ingestObservations, ingestBurst, ingestMemory]) found.push(await measure(run))
  return { quantities: found.flatMap(each => each.quantities), details: found.flatMap(each => each.details) }
}
