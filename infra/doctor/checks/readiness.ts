// The process of this machine, as its own /readyz sees it.
import type { Facts } from '../facts.ts'
import { type Finding, fault, unknown, warning, well } from '../finding.ts'

export function checkReadiness({ readiness, folder, settings: { values } }: Facts): Finding[] {
  if (readiness === null) {
    if (folder !== null && folder.holder !== null)
      return [
        unknown(`Process ${folder.holder} runs on ${folder.path}, but nothing responds on OPS_PORT ${values?.OPS_PORT ?? ''}.`),
      ]
    return [unknown('Nothing of Watchkeeper runs here: only what lies still is examined.')]
  }
  const { isReady, reasons, warnings } = readiness
  const warned = warnings.map(sentence =>
    warning(sentence, 'The running process warns of it in /readyz.', 'See docs/operator.md.'),
  )
  if (isReady) return warned.length > 0 ? warned : [well('The process that runs here is ready.')]
  const why = 'While it is not ready, it does not do its part: monitors may not be judged, or requests fail.'
  const remedy = 'See the other findings first; then read the end of its log.'
  return [fault(`The process that runs here is not ready: ${reasons.join(' ')}`, why, remedy), ...warned]
}
