// Bounds of the clients of generation 3: the command line and the MCP server. Imported by themselves: `shared/limits.ts` holds the services'.
import { second } from '#shared/time-units.ts'

export const clientLimits = {
  /** Until a whole response; the gateway responds within 10 s, to a batch and a preview within 25 s (v3 1.10). */
  responseMs: 30 * second,
  /** Of a response; the largest is a page of 200 Resources with long evidence. */
  responseBytes: 32 * 1024 * 1024,
  /** Items that one page is asked for: the most that the API gives (v3 9.1). */
  pageItems: 200,
  /** A message to the MCP server: a batch or a preview of 1 MiB, escaped, and the frame around it. */
  mcpMessageBytes: 4 * 1024 * 1024,
  /** An explanation of an Incident, sentences and JSON: what an agent reads at once (bytes). */
  explanationBytes: 16 * 1024,
  /** After the end of its input the MCP server answers what it was asked for so long, and ends within a second. */
  mcpLastAnswersMs: 0.8 * second,
} as const
