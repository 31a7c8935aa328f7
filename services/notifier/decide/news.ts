// News of deliveries for those who watch: see shared/contracts/news.ts.
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { DeliveryNews, News } from '#shared/contracts/news.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { subjectOfIncident } from '#shared/text/ids.ts'

/** Of the end of an attempt; a claim is no news. */
export function publishNews(
  bus: Pick<Bus, 'publish'>,
  { id, workspaceId, incidentId, destinationId, snapshot }: DeliveryDocument,
  more: Pick<DeliveryNews, 'destinationName' | 'at'>,
): void {
  const { value: state, context } = snapshot
  if (state === 'queued' || state === 'sending') return
  const delivery: DeliveryNews = { id, incidentId, destinationId, state, attempts: context.attempts, ...more }
  const news: News = { kind: 'delivery', delivery }
  bus.publish(subjects.state(workspaceId, subjectOfIncident(incidentId)), news)
}
