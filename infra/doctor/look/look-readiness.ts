// What the process on this machine says of itself on OPS_PORT.
import { limits } from '#shared/limits/limits.ts'
import type { AllSettings } from '../../runtime/all-settings.ts'
import type { Facts } from '../facts.ts'

/** Returns null if nothing responds there, or something other than Watchkeeper. */
export async function lookAtReadiness({ HOST, OPS_PORT }: AllSettings): Promise<Facts['readiness']> {
  if (OPS_PORT === 0) return null
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST
  try {
    const response = await fetch(`http://${host}:${OPS_PORT}/readyz`, { signal: AbortSignal.timeout(limits.start.commandMs) })
    const { ready, reasons, warnings } = (await response.json()) as { ready?: unknown; reasons?: unknown; warnings?: unknown }
    if (typeof ready !== 'boolean' || !Array.isArray(reasons) || !Array.isArray(warnings)) return null
    return { isReady: ready, reasons: reasons.map(String), warnings: warnings.map(String) }
  } catch {
    return null
  }
}
