// Bounds of probers: of the checks they make, of the names they resolve, of what they report, and of what they leave out.
import { second } from '#shared/time/time-units.ts'

export const checkLimits = {
  check: {
    connectMs: 10 * second,
    tlsMs: 10 * second,
    totalMs: 30 * second,
    /** Largest number of bytes of the decoded body in which the expected substring is searched. */
    bodyBytes: 1024 * 1024,
    /** Largest number of bytes of a decoded body that is read as JSON: parsing it keeps the thread for 5 ms. */
    jsonBytes: 256 * 1024,
    /** Longest address of a redirect that is followed. Servers refuse longer ones. */
    locationCharacters: 8 * 1024,
    /** Largest number of bytes of the header lines that a check adds to its request. Servers refuse longer heads. */
    requestHeaderBytes: 8 * 1024,
    /** Largest number of bytes of the headers of a checked response: as many as curl takes. */
    headerBytes: 300 * 1024,
    /** Largest number of characters of an error text; a longer text is cut. */
    errorCharacters: 300,
    /** Largest number of concurrent checks of a prober. If more are due, some checks are skipped evenly, and counted. */
    inFlight: 1_000,
    /** Time after which the next address of a name is tried beside those that have not answered yet (RFC 8305, 8). */
    nextAddressMs: 250,
    /** Largest number of addresses of a name that a check tries. */
    addresses: 32,
    /** Largest number of idle sockets that are kept for later checks. A socket takes about 2 KB. */
    idleSockets: 64,
    /**
     * Largest number of authorities that checks bring along, and whose TLS contexts are kept. A context takes 40 kB of memory and 1.2 ms.
     */
    authorities: 64,
    /**
     * Largest number of results that a prober buffers while the bus is unreachable. If there are more, the oldest results are dropped and
     * counted.
     */
    bufferedResults: 100_000,
    /** Largest number of published results that may wait for the acknowledgement of the bus at the same time. */
    publishInFlight: 500,
  },

  /** Checks that people try before saving a monitor. */
  tries: {
    /** Largest number of locations of a signal that is tried, and of checks of a try. */
    locations: 8,
    checks: 16,
    /** Longest duration of a check that is tried, ms, and longest wait of the gateway for its outcome. */
    checkMs: 20 * second,
    answerMs: 23 * second,
    /** Largest number of tries that a prober makes at once. */
    atOnce: 4,
    /** Largest number of tries a minute of a person, and of a workspace. */
    ofUser: 10,
    ofWorkspace: 60,
    /** Number of persons and workspaces whose tries are remembered. */
    remembered: 10_000,
  },

  resolve: {
    /**
     * Timeout of one request to one name server. `tries`: number of attempts. Two servers with two attempts each fit the 10 s that a
     * connection may take.
     */
    tryMs: 2 * second,
    tries: 2,
    /** Longest time that the addresses of one family wait for those of the other (RFC 8305, 8). */
    graceMs: 50,
    /** Interval at which the list of name servers is read again. */
    serversMs: 60 * second,
    /** Interval at which the hosts file is checked for a change. */
    hostsMs: 5 * second,
    /**
     * Largest number of concurrent look-ups by the operating system. A look-up blocks one of the four threads that the whole process
     * shares.
     */
    lookups: 2,
  },

  report: {
    /** Time for which unchanged results are collected into one batch. They can wait, because no webhook depends on them. */
    gatherMs: 50,
    /**
     * Pause after the bus did not accept a result. It doubles with each failure up to the maximum. All results wait; a reconnect ends the
     * pause.
     */
    retryMs: 100,
    retryMsMax: 0.5 * second,
  },

  /**
   * Limits of a prober that shares its process with other services: when it runs in a worker thread, and how large this thread may be (ADR
   * 14).
   */
  proberPlace: {
    /** Number of checks a second from which the prober runs in a worker thread. The thread costs about 35 MB of memory. */
    threadFrom: 250,
    /** Limit of the worker thread's heap. Checks allocate short-lived objects, and V8 lets the young generation grow to its limit. */
    threadMemory: { maxYoungGenerationSizeMb: 24 },
    /**
     * Interval at which the rate of checks is compared with `threadFrom`. It is also the first pause after a thread has ended or could not
     * start.
     */
    lookMs: 2 * second,
    /** Longest pause before the next thread starts. If a thread has run for this long, the next pause is short again. */
    retryMs: 30 * second,
  },

  shedding: {
    /** Interval at which a prober checks that its checks run in time. */
    periodMs: 500,
    /** The prober counts as overloaded when the mean delay of its checks is at least this in two periods in a row. */
    lateMs: 100,
    /**
     * Amount by which the share of skipped checks rises in one period of overload. `stepDown`: amount by which it falls otherwise. A fast
     * rise and a slow fall prevent oscillation.
     */
    stepUp: 0.1,
    stepDown: 0.02,
    /** Largest share of skipped checks. One check in twenty still runs, which is more useful than none. */
    shareMax: 0.95,
    /**
     * Largest number of concurrent checks outside their slots, after a take-over or for new monitors. The bound keeps room for regular
     * checks.
     */
    extraInFlight: 100,
    /** Least interval between two warnings about skipped checks. */
    warnMs: 10 * second,
  },

  prober: {
    /**
     * Largest number of prober credentials of an installation, including revoked ones. The revocations of a location are sent to the server
     * in one message.
     */
    credentials: 1_000,
    descriptionCharacters: 200,
    /**
     * Largest number of subscriptions of a remote prober's connection, which needs only its inbox. `payloadBytes`: largest number of bytes
     * of one message, enough for a few dozen reports.
     */
    subscriptions: 1,
    payloadBytes: 16 * 1024,
    /** Largest number of live probers of a location. */
    perLocation: 32,
    /**
     * Number of checks a second that one prober makes on a slow core, with its reports: about half a millisecond of a core each. Beyond
     * `warnedShare` of it, people who add checks are warned. Probers shed what they cannot make, whatever this number is.
     */
    checksPerSecond: 2_000,
    warnedShare: 0.8,
    /**
     * Largest number of connections of a location. It is larger by half than `perLocation`, because a cut-off prober may reconnect before
     * its old connection closes.
     */
    connectionsPerLocation: 48,
    /** Pause before revocations that the bus did not accept are sent again. */
    announceRetryMs: 5 * second,
  },
} as const
