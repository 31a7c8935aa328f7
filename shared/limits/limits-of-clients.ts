// Bounds of the clients of generation 3: the command line and the MCP server. Separate from `shared/limits/limits.ts`, which has the bounds
// of the services.
import { second } from '#shared/time/time-units.ts'

export const clientLimits = {
  /** Longest wait for a whole response. The gateway responds within 10 s, to a batch and a preview within 25 s (v3 1.10). */
  responseMs: 30 * second,
  /** Largest number of bytes of a response; the largest is a page of 200 Resources with long evidence. */
  responseBytes: 32 * 1024 * 1024,
  /** Largest number of items that a client requests in one page: the maximum of the API (v3 9.1). */
  pageItems: 200,
  /** Largest number of bytes of a message to the MCP server: a batch or a preview of 1 MiB, escaped, with its envelope. */
  mcpMessageBytes: 4 * 1024 * 1024,
  /** Largest number of bytes of an explanation of an Incident, sentences and JSON: an amount that an agent can read at once. */
  explanationBytes: 16 * 1024,
  /** Time for which the MCP server finishes its requests after the end of its input. The server exits within a second. */
  mcpLastAnswersMs: 0.8 * second,
  /** Interval between two reads of a command that watches: a change shows within 2 s, and 50 watchers send 25 requests a second. */
  watchMs: 2 * second,
  /** Pauses before a report is retried, doubled each time, so that many senders do not overload a server that has just recovered. */
  reportPauseMs: second,
  reportPauseMsMax: 15 * second,
  /** Longest time for which a report is retried; a sender that runs every minute must not accumulate processes. */
  patienceMs: 600 * second,
  /** Longest wait for the end of a command's output after the command has exited: a child process may keep the output open. */
  lastOutputMs: second,
  /** Largest number of characters of the last line of a command that are kept: more than a reason may have (v3 7.6). */
  lineCharacters: 1_000,
  /** Largest number of bytes of the profile file: hundreds of profiles. */
  profileBytes: 256 * 1024,
  /** Largest number of files that `apply` reads from a folder and its sub-folders. With more files it is probably the wrong folder. */
  configurationFiles: 10_000,
  /** Largest number of bytes of one such file: an export of 50,000 Resources of one Template. */
  configurationFileBytes: 16 * 1024 * 1024,
  /** Largest number of bytes of all such files: they are in memory, and about 20 times as large after parsing. */
  configurationBytes: 32 * 1024 * 1024,
  /** Largest number of objects in all such files; a workspace has at most 100,000 Resources (v3 8.4). */
  configurationObjects: 110_000,
  /** Largest number of uses of one part of a YAML document by anchor and aliases, so that a short text cannot expand without bound. */
  configurationAliases: 100,
  /** Concurrent requests of `apply`, `export` and `template rebind`; more concurrent requests would bring no faster responses. */
  requestsAtOnce: 16,
} as const
