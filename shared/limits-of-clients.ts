// Bounds of the clients of generation 3: the command line and the MCP server. Imported by themselves: `shared/limits.ts` holds the services'.
import { second } from '#shared/time-units.ts'

export const clientLimits = {
  /** Until a whole response; the gateway responds within 10 s, to a batch and a preview within 25 s (v3 1.10). */
  responseMs: 30 * second,
  /** Of a response; the largest is a page of 200 Resources with long evidence. */
  responseBytes: 32 * 1024 * 1024,
  /** Items that one page is asked for: the most that the API gives (v3 9.1). */
  pageItems: 200,
} as const
