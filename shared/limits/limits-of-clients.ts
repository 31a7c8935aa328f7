// Bounds of the clients of generation 3: the command line and the MCP server. Separate from `shared/limits/limits.ts`, which has the bounds
// of the services.
import { second } from '#shared/time/time-units.ts'

export const clientLimits = {
  /** Longest wait for a whole response. The gateway responds within 10 s, and to a batch or a preview within 25 s (v3 1.10). */
  responseMs: 30 * second,
  /** Largest number of bytes of a response. The largest response is a page of 200 Resources with long evidence. */
  responseBytes: 32 * 1024 * 1024,
  /** Largest number of characters of one event of a stream: a row with the longest texts has fewer than 10,000. */
  eventCharacters: 256 * 1024,
  /** Silence after which a stream of events is given up: the server sends at least a comment every 15 s (v3 13.6). */
  streamSilenceMs: 45 * second,
  /** Largest number of items that a client requests in one page: the maximum of the API (v3 9.1). */
  pageItems: 200,
  /** Largest number of bytes of a message to the MCP server. It has room for a batch or a preview of 1 MiB, escaped, with its envelope. */
  mcpMessageBytes: 4 * 1024 * 1024,
  /** Largest number of bytes of a tool's reply: its JSON, with the sentences before it. An agent can read this amount at once. */
  toolReplyBytes: 16 * 1024,
  /** Time that the MCP server has to finish its requests after the end of its input. The server exits within a second. */
  mcpLastAnswersMs: 0.8 * second,
  /**
   * Interval between two reads of a command that watches for changes. A change is shown within 2 s, and 50 watching commands send 25
   * requests a second.
   */
  watchMs: 2 * second,
  /** Pause before a report is retried. It doubles each time, so that many senders do not overload a server that has just recovered. */
  reportPauseMs: second,
  reportPauseMsMax: 15 * second,
  /** Longest time for which a report is retried. It is bounded because a sender that starts every minute must not accumulate processes. */
  patienceMs: 600 * second,
  /** Longest wait for the end of a command's output after the command has exited: a child process may keep the output open. */
  lastOutputMs: second,
  /** Number of characters that are kept of a command's last line of output: more than a reason may have (v3 7.6). */
  lineCharacters: 1_000,
  /** Largest number of bytes of the profile file: enough for hundreds of profiles. */
  profileBytes: 256 * 1024,
  /** Longest wait for a response about configuration: longer than the gateway works on it (`configuration.answerMs`). */
  configurationMs: 60 * second,
} as const
