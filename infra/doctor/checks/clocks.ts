// Clocks: that of this machine against the bus and the store.
import type { ClockOffset } from '#shared/bus/port.ts'
import { second } from '#shared/limits/limits.ts'
import { clockStepMs } from '#shared/time/clock.ts'
import type { Facts } from '../facts.ts'
import { type Finding, fault, unknown, warning, well } from '../finding.ts'

const noticeableMs = 0.5 * second

export function checkClocks({ bus, store }: Facts): Finding[] {
  const measured = [
    { whose: 'the bus', offset: bus.state === 'looked' ? bus.offset : null },
    { whose: 'the store', offset: store.kind === 'mongodb' ? store.offset : null },
  ].flatMap(({ whose, offset }) => (offset === null ? [] : [{ whose, offset }]))
  if (measured.length === 0) return [unknown('No other clock could be asked.')]
  const findings = measured.flatMap(({ whose, offset }) => judged(whose, offset))
  if (findings.length > 0) return findings
  return [well(measured.map(({ whose, offset }) => `Within ${bound(offset)} ms of ${whose}.`).join(' '))]
}

/** An offset is only as exact as half of the round trip. */
function judged(whose: string, { aheadMs, roundTripMs }: ClockOffset): Finding[] {
  const leastMs = Math.abs(aheadMs) - roundTripMs / 2
  if (leastMs < noticeableMs) return []
  const what = `The clock of this machine is ${(Math.abs(aheadMs) / second).toFixed(1)} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of ${whose}.`
  const why =
    'Instants of reports, silence and certificates are judged by clocks: silence may be told late or, from elsewhere, too early.'
  const remedy = 'Run a time service (chrony, systemd-timesyncd) on both machines, and see that it reaches its servers.'
  return [leastMs >= clockStepMs ? fault(what, why, remedy) : warning(what, why, remedy)]
}

const bound = ({ aheadMs, roundTripMs }: ClockOffset): number => Math.ceil(Math.abs(aheadMs) + roundTripMs / 2)
