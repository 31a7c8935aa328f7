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
  /** Between two looks of a command that watches: a change shows within 2 s, and 50 watchers are 25 requests a second. */
  watchMs: 2 * second,
  /** Pauses before a report is tried again: doubled each time, so that a fleet of senders leaves a server that returns in peace. */
  reportPauseMs: second,
  reportPauseMsMax: 15 * second,
  /** The longest time for which a report is tried again: a sender that runs every minute must not pile up. */
  patienceMs: 600 * second,
  /** From the end of a command until its output is taken to be complete: a process that it left behind may keep it open. */
  lastOutputMs: second,
  /** Of the last line of a command: more than a reason keeps (v3 7.6). */
  lineCharacters: 1_000,
  /** Of the profile file: hundreds of profiles. */
  profileBytes: 256 * 1024,
  /** Of `apply`: a folder of configuration, its sub-folders included. Beyond, it is the wrong folder. */
  configurationFiles: 10_000,
  /** One such file: an export of 50,000 Resources of one Template. */
  configurationFileBytes: 16 * 1024 * 1024,
  /** All of them together: read into memory, parsed about 20 times as large. */
  configurationBytes: 32 * 1024 * 1024,
  /** Objects in them; a workspace has at most 100,000 Resources (v3 8.4). */
  configurationObjects: 110_000,
  /** How often one YAML document may repeat its parts by aliases: a short text must not grow without end. */
  configurationAliases: 100,
  /** Requests under way at once from `apply`, `export` and `template rebind`; more are answered no sooner. */
  requestsAtOnce: 16,
} as const
