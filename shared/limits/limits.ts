// Bounds of the system in one place, each with its reason: sizes of queues and batches, retries, payloads, waits. Contracts and machines
// may not import them and repeat theirs. A number that concerns only one file stays in that file.

import { peopleLimits } from '#shared/limits/limits-of-people.ts'
import { previewLimits, templateRevisionLimits, trialLimits } from '#shared/limits/limits-of-preview.ts'
import {
  auditLimits,
  chartLimits,
  eventLimits,
  incidentListLimits,
  intakeLimits,
  overviewLimits,
  rosterLimits,
} from '#shared/limits/limits-of-reading.ts'
import { storeLimits } from '#shared/limits/limits-of-store.ts'
import { day, hour, minute, second } from '#shared/time/time-units.ts'

export { day, hour, minute, second }

export const limits = {
  /** Part of the data format: partition = fnv1a32(subjectId) mod 64. Never change it in an installation with data. */
  partitions: 64,

  keeper: {
    /** Maximum of inputs of one partition in one round: many enough to share the cost of a commit, few enough to share the event loop. */
    inputsPerRound: 512,
    /** Largest number of Observations that a partition queues between the bus and its rounds before it stops pulling. */
    feedBacklog: 2_048,
    /** Maximum of commands that a partition queues; a further one responds `busy` at once, because its caller would time out anyway. */
    commandBacklog: 1_000,
    /** Largest number of idempotency records of a subject: a retry arrives within seconds, so a few are enough. */
    idempotencyRecords: 16,
    /** Time for which an idempotency record is kept. A gateway retries for `request.totalMs`, a program after a shorter outage. */
    idempotencyAgeMs: 90 * second,
    /** Largest number of instants of reports that are kept for the reports' retries: more than one whole round of reports. */
    stamps: 1_024,
    /** Time for which a report's instant is kept; a report is retried for `request.totalMs` at most. */
    stampAgeMs: 10 * second,
    leaseRenewMs: 3 * second,
    /**
     * A rival takes a lease not renewed for this long while other leases changed: a dead keeper's partitions move within 10 s (ADR 24).
     */
    leaseStaleMs: 8 * second,
    /** A longer gap between two changes of the bucket of leases does not count towards the age of a lease. */
    leaseGapMs: 2.5 * second,
    /** A holder stops this long after its last renewal (or, while the bus is silent, its last attempt): before a rival may start. */
    leaseGiveUpMs: 7 * second,
    /** Longest time for which a holder continues without a response of the bus: two elections in a row take 20 s. */
    leaseUnansweredMs: 30 * second,
    /** Longest interval between two checkpoints, which store the freshness of readings and the position in the stream. */
    checkpointMs: 10 * second,
    /** Maximum of subjects whose freshness a checkpoint contains, about 100 B each; documents of further subjects are written instead. */
    freshnessInCheckpoint: 2_000,
    /**
     * Time after a commit within which the outbox of its subject is cleared, together with a further change of the subject. Measured: 1,000
     * subjects with five changes every 2 s cause 2,017 writes with 1 s, 1,668 with 4 s.
     */
    outboxMs: 4 * second,
    /** Time after a take-over in which no input counts as silent, so that buffered reports arrive first. */
    silenceHoldOffMs: 15 * second,
    /** Longest time for which silence is held back after an outage (ADR 22). */
    silenceHoldOffMaxMs: 1 * hour,
    /** An outage of reports that is longer than this loses reports, because a request is retried for no longer (`request.totalMs`). */
    deafMs: 4 * second,
    /** Interval at which a keeper checks that reports are accepted: short enough that one late check is not an outage. */
    listenMs: 1 * second,
    /** Interval at which a keeper sends a request to the stream, and time without a response after which the stream counts as silent. */
    streamAskMs: 1 * second,
    streamSilentMs: 2.5 * second,
    /** Time for which deadlines wait after an outage of the stream: the reports that probers buffered come first. */
    settleMs: 2 * second,
    /** A reminder that is overdue by more than this is skipped until its next instant. */
    reminderLateMs: 1 * minute,
    cachedSubjects: 60_000,
    /** Template revisions in the memory of one keeper: a few KiB each, read again when needed. */
    templateRevisions: 2_000,
    /** Largest number of series of a subject that stay in memory: the label sets that its senders use all the time. */
    seriesInMemory: 16,
    /** Signals of a subject whose running medians stay in memory, 2 KiB each; the medians of further signals are read at each report. */
    mediansInMemory: 4,
    /** Distinct numbers held around a median: this many to twice as many. Each report moves the median by half a number at most. */
    medianValues: 32,
    /** Number of a baseline's oldest numbers that are read at once, before the baseline drops these numbers. */
    numbersLeaving: 16,
    /** Largest number of concurrent writes of check entries; in an outage of their bucket each is retried every 2 s. */
    checkWritesAtOnce: 64,
    /** Largest number of documents of a deleted subject that one step removes. */
    deletionSlice: 1_000,
    /** Time for which a tombstone is kept: longer than the stream (72 h), so that a late report does not create its subject again. */
    tombstoneMs: 4 * day,
    /** Time for which a removed tag is kept: longer than any lease, so that a late write of a predecessor does not add the tag again. */
    goneTagMs: 1 * hour,
    /** Pause before a failed commit is retried, doubled up to the maximum. */
    retryMs: 50,
    retryMsMax: 2 * second,
    /** Interval between two partitions that a keeper gives away for balance, so that one hand-over ends before the next begins. */
    balanceMs: 1 * second,
    /** Time for which a partition that was given away is reserved for its successor, before any keeper takes it. */
    successorMs: 2 * second,
    /** Life of a dead letter: an input that could not be judged, kept for a person who examines it. */
    deadLetterMs: 30 * day,
    deadLetterCharacters: 4_000,
    /** Largest number of deadlines of one subject that are stepped for one input: a week of silence, delays and reminders has far fewer. */
    deadlinesPerInput: 1_000,
    /** Life of an alert document, for the log and for replay. */
    alertMs: 30 * day,
    /** A slot further ahead of the report's arrival comes from a wrong clock. If it were accepted, correct slots would look old. */
    slotAheadMs: 60 * second,
    /** Reports of passed checks wait this long, or until a partition has this many, so that one commit serves many. */
    gatherMs: 20,
    gatherResults: 128,
    /**
     * Silence is checked at multiples of this, for many monitors at once, and recorded at its exact instant. Delays end without this wait.
     */
    silenceGridMs: 20,
    /** Maximum of partitions that are opened at once: enough to overlap store and bus, few enough that their pages fit the memory. */
    takeOversAtOnce: 8,
    /** Largest number of concurrent rounds of different partitions, so that one steps its inputs while another waits for the store. */
    roundsAtOnce: 2,
    /** Largest number of rounds for which a hand-over waits before the remaining work is left to the next holder. */
    handOverRounds: 50,
    /** Pause before due work is tried again, if it could not be done because a lease is being lost. */
    overdueMs: 20,
    /** Interval at which expired documents are removed, and pause between slices while more remain. */
    expireMs: 60 * second,
    expireSliceMs: 50,
    /** Largest number of inputs of all partitions in one round. */
    inputsPerRoundInAll: 4_096,
  },

  log: {
    /** Largest number of lines of one message in one period; further lines are counted. Ten lines a second suit a reader and a disk. */
    lines: 50,
    spellMs: 5 * second,
    /** Largest number of different messages that are counted at once: the program has some hundred. */
    sentences: 1_000,
  },

  collector: {
    /** Growth of a calm heap between two full collections, in percent of the live heap. It keeps the process within 250 MB. */
    calmPercent: 10,
    /** Heap growth in percent of the live heap a second: busy from the first value, calm below the second. 10,000 checks a minute: 1.3. */
    busyPercentPerSecond: 1.8,
    calmPercentPerSecond: 1.5,
    /** A collection this soon after another one is not measured: V8 gives back memory by itself some 650 ms after a collection. */
    pairMs: 1_000,
    /**
     * Target interval between full collections in a busy time. A collection slows responses for 110 to 190 ms with 10,000 monitors. Only
     * this interval keeps it out of the slowest percent at 2,000 checks a second.
     */
    everyMs: 30 * second,
    /** Growth of the heap that a busy time may get, in percent: up to twice the heap. */
    busyPercentMin: 30,
    busyPercentMax: 100,
  },

  presence: {
    /** Interval of heartbeats of a process; a prober sends them twice as often, because others take over its share. */
    beatMs: 2 * second,
    /** A process without a heartbeat for this long is gone: take-over among probers of a location happens within 10 s. */
    goneMs: 7 * second,
    /** Longer gaps between heartbeats of any process count for none of them: the bucket has no leader, or this process is cut off. */
    gapMs: 3.5 * second,
  },

  stream: {
    /** Age at which the stream drops an observation, which by then has been judged or is useless. */
    ageMs: 72 * hour,
    /** Size at which the stream refuses new reports; probers then buffer them. */
    bytes: 2 * 1024 ** 3,
    /** Interval at which reports that every partition has judged are removed from the stream. */
    purgeMs: 60 * second,
  },

  bus: {
    /** Memory limit of the embedded nats-server, which Go respects as far as it can. */
    serverMemory: '48MiB',
    /** File storage of the embedded nats-server: the full stream, and as much again for the buckets. A full disk refuses before that. */
    serverFileBytes: 4 * 1024 ** 3,
    /** Pause between two attempts to reconnect: short, because everything waits for the connection. */
    reconnectMs: 250,
    /** Refusals in a row while a server may still load its accounts. After more of them, the client retries every `refusedMs`. */
    refusals: 10,
    refusedMs: 5 * second,
    /** Number of unanswered pings after which a client disconnects from its server. */
    pingsUnanswered: 2,
    /** Timeouts for a single server: no other server could respond, so checks are rare and waits are long (ADR 24). */
    alone: {
      /** Longest time from the start of a connection to the greeting of the server. */
      dialMs: 10 * second,
      pingMs: 3 * second,
      /** A single attempt of a request. The caller then retries, because the response may be lost or the partition may have moved. */
      tryMs: 2 * second,
      /** One request about the stream or a bucket itself, such as its state. */
      administrationMs: 5 * second,
      /** Longest wait of a restored connection for the declaration of its streams, which must exist again if the store was lost. */
      declareMs: 5 * second,
      /** Longest wait for an acknowledgement. The report is then sent again, which its identity makes harmless. */
      publishMs: 5 * second,
      /** Interval of the server's heartbeats to a waiting reader, and the missed ones after which the reader counts as lost. */
      readerHeartbeatMs: 5 * second,
      readerHeartbeatsMissed: 3,
    },
    /**
     * Timeouts for a cluster, where other servers take over for a dead one. A lost acknowledgement or a frozen server costs 2 s, a reader
     * on a dead server 1 s. 64 feeds get 128 heartbeats a second in all.
     */
    clustered: {
      dialMs: 2 * second,
      // The client leaves a dead server after 2 s, and connects to another one half a second later. A request that began at the failure
      // thus gets a response within its 4 s.
      pingMs: 0.7 * second,
      tryMs: 1 * second,
      administrationMs: 2 * second,
      // A stream without a leader would delay all users of the other streams.
      declareMs: 0,
      publishMs: 2 * second,
      readerHeartbeatMs: 0.5 * second,
      readerHeartbeatsMissed: 2,
    },
    /** Interval at which timeouts of requests are checked, once for all waiting requests instead of one timer each. */
    sweepMs: 50,
    /** Maximum of messages that a reader requests at once: enough to make the request's cost negligible, few enough to hold in memory. */
    readerBatch: 512,
    /** Time after which the server ends a reader's request for messages. */
    readerExpiresMs: 1 * minute,
    /** Time after which the server removes an unused reader. */
    readerForgottenMs: 2 * minute,
    /** Pause before a reader that could not be restored is retried; doubled up to the maximum. */
    readerRetryMs: 50,
    readerRetryMsMax: 1 * second,
    /** Time after which a feed that cannot be restored counts as broken although the bus responds: two elections in a row take 20 s. */
    readerGiveUpMs: 1 * minute,
    /** Maximum of concurrent requests that one process serves before it responds `busy`; each holds its body and its response in memory. */
    servedAtOnce: 512,
    /** Time after which a presence entry expires; a live process writes its entry at least every 2 s. */
    presenceAgeMs: 1 * minute,
    /** Time for which a revocation is kept: much longer than `key.cacheMs`, after which a gateway that missed it reads the key again. */
    revocationAgeMs: 1 * hour,
    /** Largest number of consumers that are removed at once: an installation that was attacked may have thousands. */
    removedAtOnce: 32,
    /** Time for which the server remembers message ids: the minimum, because repeated reports are recognised by their slots. */
    duplicateWindowMs: 100,
  },

  tools: {
    versionMs: 5 * second,
    /** Installing a nats-server: seconds with pip, a minute with go on a slow machine. */
    installMs: 5 * minute,
    /** Stopping the embedded server, which flushes and exits within milliseconds; its guardian kills it after 5 s. */
    stopMs: 6 * second,
    /** Time after the end of its parent in which a guardian stops its server. */
    guardianMs: 7 * second,
  },

  request: {
    /** Time for a response of v1 and v2: known clients give up after 5 s. */
    totalMs: 4 * second,
    /** Pause before the retry after "no responders". */
    retryMs: 50,
    /** Size of the largest page that a read returns, bytes. */
    pageBytes: 512 * 1024,
    /** Maximum of documents that are read from the store at once to fill a page: subjects contain idempotency records and may be large. */
    pageReads: 100,
    /** Documents in the first of these reads, which gives an estimate of their size: rows of the delivery log may have 100 kB. */
    pageReadsFirst: 8,
  },

  http: {
    /** Size of the largest request body, bytes. A larger body is refused with 2006 `Request too large`. */
    bodyBytes: 1024 * 1024,
    /** Nesting depth of JSON; deeper JSON is a mistake, or an attack on code that walks it. */
    jsonDepth: 64,
    /** Largest number of bytes of a too large body that are read and dropped, so that its sender reads the error response. */
    discardBytes: 8 * 1024 * 1024,
    /** Time for the work on a response: the rest of the 4 s is for its transport. */
    answerMs: 3_700,
    /** Time for a client to send its headers, and to send the whole request. */
    headersMs: 10 * second,
    requestMs: 30 * second,
    /** Interval at which the server looks for clients that exceed `headersMs` or the time for the whole request. */
    lateMs: 1 * second,
    /** Time without traffic after which Node closes a connection with an unfinished response. Node also checks at this interval. */
    stalledMs: 60 * second,
    /** Time for which an idle connection stays open: a little longer than a usual proxy keeps it, so that the proxy closes first. */
    keepAliveMs: 75 * second,
    headerBytes: 16 * 1024,
    /** Largest number of concurrent connections of one gateway; each may hold a body of 1 MiB. */
    connections: 2_000,
    /** Connections of one client address that have not shown a valid key or session: a browser opens six, an office has one address. */
    connectionsPerClient: 100,
    /** Time after which a new connection may count as idle: before that, its first request may still arrive. */
    youngMs: 1 * second,
    /** Connections allowed above `connections`, because the server counts closed ones until the next turn of its event loop. */
    connectionsClosing: 1_000,
    /** Time for unfinished responses on stop. The sum of this and `key.lastTouchMs` must be less than `start.serviceStopMs`. */
    drainMs: 1 * second,
    /** Time for which reads use cached names of locations; writes look them up. */
    locationNamesMs: 5 * second,
  },

  v3: {
    resourceLabels: 16,
    /** Largest number of signals that senders may declare on a Resource in addition to its Template's (v3 7.3). */
    declaredSignals: 16,
    /** Largest number of rows of one signal in one read of the Observation log. Rows of rejected reports count, too. */
    logRowsRead: 2_000,
    /** Time for a response of generation 3 (v3 1.10); its clients wait 30 s. */
    answerMs: 10 * second,
    batchAnswerMs: 25 * second,
    /** Largest number of bytes of a body; a batch and a preview have the bound of generations 1 and 2. */
    bodyBytes: 256 * 1024,
    /** Largest number of items of a page: the default, and the maximum of the query. */
    page: 50,
    pageMax: 200,
    /** Largest number of filters of one list by fields, and by labels. */
    metaFilters: 5,
    labelFilters: 5,
    /** Largest number of Resources that may match when a list of Incidents is filtered by properties of Resources. */
    filteredSubjects: 5_000,
    /** Tags in one read: the first fits the caller's thread, and later ones grow up to the maximum while few tags match. */
    tagReadsFirst: 100,
    tagReads: 1_000,
  },

  audit: auditLimits,
  incidentLists: incidentListLimits,
  overview: overviewLimits,
  roster: rosterLimits,
  events: eventLimits,
  charts: chartLimits,

  directory: {
    /** Attempts of a guarded put. An attempt fails only if another writer has succeeded. */
    guardedTries: 50,
    slugCandidates: 64,
    /** Largest number of subjects with the same name in a workspace; with more, a person has to choose another name. */
    slugNumberMax: 10_000,
    slugCharacters: 64,
    /** Time for which a name stays reserved if its subject is not created: a creation takes 4 s at most. */
    reservationMs: 60 * second,
    /** History entries of an incident in one response: each may contain the evidence of 64 inputs. */
    historyPage: 50,
    /** Largest number of locations and keys in one response. */
    listed: 1_000,
    /** Interval at which expired documents (sessions, sign-in attempts) are removed, and the most in one slice. */
    expireMs: 1 * minute,
    expireSlice: 1_000,
    /** Largest number of concurrent deletions of subjects of a deleted workspace; a partition queues 1,000 commands. */
    removedAtOnce: 16,
  },

  check: {
    connectMs: 10 * second,
    tlsMs: 10 * second,
    totalMs: 30 * second,
    /** Largest number of bytes of the decoded body in which the expected substring is searched. */
    bodyBytes: 1024 * 1024,
    /** Largest number of bytes of response headers; a response with more is useless. */
    headerBytes: 64 * 1024,
    /** Largest number of characters of an error text; a longer text is cut. */
    errorCharacters: 300,
    /** Largest number of concurrent checks of a prober; with more, due checks are shed evenly and counted. */
    inFlight: 1_000,
    /** Largest number of idle sockets that are kept for the next checks; each is about 2 KB. */
    idleSockets: 64,
    /** Largest number of results that a prober buffers while the bus is unreachable; the oldest are dropped and counted. */
    bufferedResults: 100_000,
    /** Largest number of published results that wait for the bus's acknowledgement at once. */
    publishInFlight: 500,
  },

  resolve: {
    /** Timeout of one request to one name server, and attempts: two servers and a retry fit the 10 s of a connection. */
    tryMs: 2 * second,
    tries: 2,
    /** Interval at which the list of name servers is read again. */
    serversMs: 60 * second,
    /** Interval at which the hosts file is checked for a change. */
    hostsMs: 5 * second,
    /** Largest number of concurrent system lookups: each blocks one of the four threads that the whole process shares. */
    lookups: 2,
  },

  report: {
    /** Time in which unchanged results are collected into one batch; no webhook depends on an unchanged result. */
    gatherMs: 50,
    /** Pause after a result that the bus did not accept, doubled up to the maximum. All results wait; a reconnect ends the pause. */
    retryMs: 100,
    retryMsMax: 0.5 * second,
  },

  /** A prober that shares its process with other services: limits of its worker thread (ADR 14). */
  proberPlace: {
    /** Checks a second from which the prober runs in a worker thread, which costs about 35 MB. */
    threadFrom: 250,
    /** Heap of the worker thread: checks allocate short-lived objects, and V8 lets a young generation grow to its limit. */
    threadMemory: { maxYoungGenerationSizeMb: 24 },
    /** Interval at which the rate is compared, and first pause after a thread that has ended or could not start. */
    lookMs: 2 * second,
    /** Longest pause before the next thread starts. After a thread has run for this long, the pause is short again. */
    retryMs: 30 * second,
  },

  clock: {
    /** Interval at which a prober measures the bus time against its own clock, because slots are on bus time. */
    measureMs: 10 * second,
    /** Drift of two clocks, ms a second: each second, a measurement becomes less exact by this much. */
    driftMsPerSecond: 0.02,
    /** If an offset changes by more than this, a clock was set; a smaller change is a drift. */
    jumpMs: 1 * second,
  },

  shedding: {
    /** Interval at which a prober checks that it keeps up. */
    periodMs: 500,
    /** Mean delay of checks, in two periods in a row, from which the prober counts as overloaded. */
    lateMs: 100,
    /** Change of the share of skipped checks per period. The share rises fast and falls slowly, so that it does not oscillate. */
    stepUp: 0.1,
    stepDown: 0.02,
    /** Largest share of skipped checks: one check in twenty is more useful than none. */
    shareMax: 0.95,
    /** Concurrent checks outside their regular slots (new monitors, take-overs). The bound keeps them from displacing regular checks. */
    extraInFlight: 100,
    /** Least interval between two warnings about skipped checks. */
    warnMs: 10 * second,
  },

  website: {
    nameCharacters: 100,
    intervalSecondsMin: 60,
    intervalSecondsMax: 86_400,
    urlCharacters: 2_048,
    dataBytes: 64 * 1024,
    expectedTextCharacters: 4_096,
    statusesMax: 10,
    contentTypeCharacters: 255,
    locationsMax: 64,
  },

  subject: {
    /** Largest number of characters of the names of custom subjects, their signals and rules: as for websites. */
    nameCharacters: 100,
    signals: 100,
    rules: 100,
    /** Largest number of bytes of the `meta` of a signal: a note for people, stored in the subject's document. */
    metaBytes: 16 * 1024,
    /** Largest number of bytes of a subject with all its signals and rules: it has to fit one response on the bus, with room to spare. */
    viewBytes: 512 * 1024,
    /** Largest number of workspaces that an error about an ambiguous slug lists. */
    ambiguous: 20,
    /** Largest number of signals whose subject a gateway caches, so that the next report of a sender needs no look-up: about 10 MB. */
    reportAddresses: 20_000,
  },

  policy: {
    /** Largest number of bytes of one rule's policy in its stored form. */
    bytes: 32 * 1024,
    /** Largest number of inputs of one rule; a person cannot read a longer document. */
    inputs: 64,
    /** Default of the confirmation delay and the recovery delay of a rule (reference/custom-subjects 3.3). */
    holdMs: 2 * minute,
    /** Longest delay and longest time until silence: a year is longer than any data is kept. */
    durationMs: 365 * day,
  },

  pushed: {
    /** Largest number of labels of an observation, their keys and values (reference/custom-subjects 4.4). */
    labels: 64,
    labelKeyCharacters: 64,
    labelValueCharacters: 256,
    /** Largest number of characters of a sender's error text; a longer text is cut. */
    errorCharacters: 2_000,
  },

  maintenance: {
    /** Largest number of changes of a window's end that its record keeps. */
    steps: 100,
  },

  notifier: {
    claimMs: 30 * second,
    /** Interval of the scan, which finds the work of a lost nudge or a dead notifier. */
    scanMs: 5 * second,
    sendMs: 10 * second,
    /** Largest number of concurrent attempts in all. A message waits only for earlier messages of its incident. */
    inFlight: 200,
    /** Maximum of concurrent attempts at one destination at first. A destination that does not respond gets one attempt at a time. */
    inFlightPerDestination: 8,
    /** Largest number of concurrent attempts at a destination that accepts all messages: a burst then needs few rounds of store calls. */
    inFlightPerDestinationMax: 32,
    /** Largest number of outcomes that wait for the store; with more, sending stops. */
    unwritten: 500,
    /** Largest number of due deliveries to one destination that wait in memory; further deliveries stay in the store for the scan. */
    queuedPerDestination: 1_000,
    /** Largest number of alerts, finished attempts or claims in one round of store calls; new deliveries too, but in whole alerts. */
    batch: 500,
    /** Largest number of alert ids that wait between the nudge and the store; the scan finds further alerts. */
    nudgeBacklog: 10_000,
    /** Largest number of retries that are held as timers in memory; the scan finds further retries. */
    timers: 10_000,
    /** Largest number of pages (of `batch`) that one scan reads; the next scan continues after these pages. */
    scanPages: 20,
    /** Attempts of a store call with an unknown outcome, with pauses from `storeRetryMs`, doubled each time: 1.5 s in all. */
    storeTries: 6,
    storeRetryMs: 50,
    /** Attempts to reserve a block of the log's numbers. An attempt fails only if a rival succeeds, so many failures are an error. */
    numberTries: 120,
    /** Time after which names of locations are read again. */
    namesMs: 60 * second,
    namesCached: 10_000,
    /** Time in which a stopping notifier finishes its attempts; the rest of `start.serviceStopMs` is for outcomes and claims. */
    stopMs: 1.5 * second,
    /** Time for which deliveries and alerts are kept: days beyond the last retry, so that an incident shows its messages. */
    deliveryMs: 14 * day,
    /** Interval at which expired documents are removed, documents in a slice, and slices at a time. */
    expireMs: 1 * minute,
    expireSlice: 1_000,
    expireSlices: 10,
    /** Largest number of characters of a receiver's response that the log quotes. */
    quoteCharacters: 200,
    /** Largest number of characters of a subject's or workspace's name in a message; longer names exist only on the bus. */
    nameCharacters: 200,
    /** Largest number of characters of a check's error in a message (reference/messages 5.3). */
    errorCharacters: 300,
    /** Largest number of characters of a subject's key in a message: as many as a key may have. */
    keyCharacters: 128,
    /** Largest number of characters of an explanation in a message: five comparisons with long keys and values. */
    explanationCharacters: 1_000,
    /** Evidence in the `incident` object of a webhook (reference/messages 5.6). */
    evidence: { inputs: 16, textCharacters: 200, fields: 16 },
    /** First pause after a failed attempt; doubled with jitter up to the maximum. */
    retryMs: 2 * second,
    retryMsMax: 15 * minute,
    /** Time after its alert at which a delivery is given up. */
    giveUpMs: 2 * hour,
    /** Shortest time for which a delivery is attempted: a delivery that waited for a notifier survives a short outage of the receiver. */
    giveUpMsLeast: 1 * hour,
    /** Largest number of bytes of a receiver's response that are read for the log. */
    answerBytes: 4 * 1024,
    /** Time for which the rest of a receiver's response is read and dropped; then the connection is closed. */
    drainMs: 1 * second,
    /** Part of `inFlight` that destinations without responses may use together, so that the rest stays free for other destinations. */
    inFlightUnanswered: 100,
    /** Largest number of destinations without responses that stay in memory while no delivery waits for them. */
    lanesKept: 10_000,
    /** Timeout of a test message, which has only one attempt (reference/messages 1.9). */
    testMs: 3 * second,
    /** Longest wait for the log row of a test before the response is sent. */
    testLogMs: 300,
    /** Timeout for the caller of a test message: attempt, log row and transport. Shorter than the 3.7 s of an HTTP response. */
    testAnswerMs: 3_600,
    /** Largest number of concurrent test messages; the notifier responds `busy` to a further test. */
    testsAtOnce: 32,
    logMs: 30 * day,
  },

  operator: {
    /** A location without a live prober for this long is lost: longer than the restart of a prober, or the take-over by another (7 s). */
    lostMs: 15 * second,
    /** Pause before a condition is judged again after the store did not respond. */
    retryMs: 5 * second,
    /** Interval at which conditions without an event are checked: keys, disk, dead letters, messages of a dead notifier. */
    lookMs: 30 * second,
    /** Interval at which the last heartbeat of a location is stored. */
    seenMs: 1 * minute,
    /** Interval at which the use of a lost location is read again: the read passes every subject. */
    usageMs: 10 * minute,
    /** Largest number of subjects in one read of a location's use. */
    scanSubjects: 5_000,
    /** Time before the end of a key at which the operator is notified. */
    keyMs: 14 * day,
    /** Longest interval between two look-ups of the next key to end: a new key may have been created. */
    keysMs: 1 * hour,
    /** A destination that has accepted no message for this long is failing: longer than the restart of any receiver. */
    failingMs: 1 * hour,
    /** Largest number of rows of the delivery log that are read to confirm that a destination fails. */
    failingRows: 500,
    /** A disk is full below this much free space, or `diskShare` of the disk if less. It stays full until twice as much is free. */
    diskFreeBytes: 256 * 1024 ** 2,
    diskShare: 0.05,
    /** Time without a new dead letter after which the condition ends. */
    quietMs: 1 * hour,
    /** Largest number of dead letters, keys or failing destinations in one check; the next check continues. */
    batch: 500,
    /** Largest number of conditions in one read: 500 locations, and all other raised ones. */
    conditions: 5_000,
    /** Largest number of messages of one condition that wait for the operator's receiver; the oldest is dropped. */
    unsent: 20,
    claimMs: 30 * second,
    /** Time after which an undelivered message is given up. */
    giveUpMs: 1 * day,
    /** Attempts of a guarded put that loses against rivals. */
    guardedTries: 20,
    /** Largest number of characters of a name or of an error in a message. */
    textCharacters: 300,
    /** Largest number of conditions in the list for administrators: 500 locations may be lost at once, which nobody would read. */
    listed: 200,
    /** Largest number of warnings in the response of /readyz. */
    warnings: 50,
  },

  destination: {
    nameCharacters: 100,
    urlCharacters: 2_048,
    channelCharacters: 80,
    /** Largest number of destinations of a workspace: all destinations fit one response on the bus. */
    perWorkspace: 100,
    /** Largest number of uses that the error of a refused deletion lists; it counts the rest. */
    usesListed: 20,
    /** Random bytes of a signing secret: Standard Webhooks allows 24 to 64. */
    secretBytes: 32,
    /** Largest number of secrets of a destination: the new one and, while receivers change over, the previous one. */
    secrets: 2,
    /** Longest time for which the previous secret also signs. */
    secretGraceMs: 30 * day,
  },

  template: {
    /** Largest number of bytes of a payload template in its stored form (reference/messages 3.3). */
    bytes: 16 * 1024,
    /** Bytes of its output: twice its size leaves room for every value, and a thousand rows of the log still fit one response. */
    outputBytes: 32 * 1024,
    nameCharacters: 100,
    perWorkspace: 100,
    /** Largest number of characters of an unknown field's name that an error quotes. */
    quotedCharacters: 40,
  },

  deliveryTable: {
    /** Largest number of tables in one read, and reads that remove the rows of a deleted destination; readers skip the other rows. */
    sweepPage: 500,
    sweepPages: 20,
  },

  deliveries: {
    /** Largest number of rows of the delivery log in one response (reference/messages 6.2). */
    listed: 1_000,
  },

  egress: {
    /** Largest number of CIDR blocks in EGRESS_DENY or EGRESS_ALLOW: each connection is compared with all of them. */
    blocks: 1_000,
  },

  ...peopleLimits,

  judging: {
    /** Grace period of an input of a website check that has never reported (reference/judging 2.4). */
    websiteGraceMs: 60 * second,
    /** Number of intervals after which an input of a website check is silent (reference/judging 2.3). */
    silentIntervals: 3,
    /** Time after which a custom heartbeat is silent if its policy names none (reference/judging 3.4). */
    heartbeatSilentMs: 5 * minute,
    /** Largest number of inputs that the evidence of a verdict keeps: as many as a policy may have. */
    evidenceInputs: 64,
    /** Largest number of characters of a sender's error that the evidence keeps: as many as a message shows (reference/judging 6.2). */
    reasonCharacters: 300,
    /** Largest number of inputs that the evidence of a Template's rule keeps: as many comparisons as a decision may have. */
    decisionInputs: 16,
    /** Largest number of names that an explanation lists before it counts the rest. */
    namesListed: 5,
  },

  intake: intakeLimits,

  templateRevision: templateRevisionLimits,

  preview: previewLimits,

  trial: trialLimits,

  store: storeLimits,

  rollUp: {
    /** Largest number of bins of one bucket's histogram; a wider spread merges bins in pairs. Latencies up to 30 s need 110. */
    bins: 128,
    /** Time after the end of an hour at which it is rolled up, so that late reports arrive first. */
    settleMs: 5 * minute,
    /** Time over which the partitions are spread within the hour, so that not all are read at once. */
    spreadMs: 40 * minute,
    /** Time after the end of a day at which its roll-ups become final; later reports are not counted. */
    settleDayMs: 2 * day,
    /** Time over which the partitions are spread for the final roll-up of a day. */
    spreadDayMs: 6 * hour,
    /** Interval at which due roll-ups are searched. */
    lookMs: 60 * second,
    /** Largest number of subjects that are rolled up at once, and the pause after them, so that other work is not delayed. */
    subjectsAtOnce: 4,
    pauseMs: 20,
    /** Largest number of subjects that one read looks up, and old incidents or windows that one read removes. */
    subjectsPerRead: 500,
    incidentsPerRead: 50,
    /** Largest number of checks in one read: it takes the store's worker a millisecond. */
    checksPerRead: 360,
    /** Largest number of pushed observations in one read: each may have 20 KB. */
    pushedPerRead: 200,
    /** Largest number of buckets in one response. */
    bucketsPerAnswer: 1_000,
    /** Largest number of raw observations that are read for one response. */
    rawRowsPerAnswer: 20_000,
    /** Age up to which checks are read raw, so that late reports count at once. */
    rawChecksMs: 1 * day,
  },

  retention: {
    checksMs: 3 * day,
    /** Additional time for which raw check results are kept while they are not rolled up yet. */
    heldBackMs: 2 * day,
    rollUpsMs: 400 * day,
    /** Closed incidents with their history, and ended maintenance windows. */
    incidentsMs: 400 * day,
    pushedMs: 30 * day,
    /** Rows of the audit; rows about Observations, by far the most, expire with the Observations. */
    auditMs: 400 * day,
    auditObservationsMs: 30 * day,
  },

  prober: {
    /** Largest number of credentials of an installation, revoked ones included: the server gets all revocations in one message. */
    credentials: 1_000,
    descriptionCharacters: 200,
    /** Maximum of subscriptions of a remote prober's connection, which has one inbox, and bytes of one message, for a few dozen reports. */
    subscriptions: 1,
    payloadBytes: 16 * 1024,
    /** Live probers of a location; and its connections, more by half, because a cut-off prober may reconnect before its old one closes. */
    perLocation: 32,
    connectionsPerLocation: 48,
    /** Pause before revocations that the bus did not accept are sent again. */
    announceRetryMs: 5 * second,
  },

  start: {
    /** Time for which start-up waits for a bus or a store that does not respond. */
    patienceMs: 10 * second,
    /** Time from SIGTERM to exit. */
    graceMs: 5 * second,
    /** A signal that is repeated within this time counts once: npm forwards the signal that the terminal also sends. */
    sameSignalMs: 0.5 * second,
    /** Interval and longest duration of the wait for the threads of a killed process, whose end a slow disk may delay. */
    endingLookMs: 20,
    endingMs: 3 * second,
    /** Largest number of killed holders of a data folder that the next holder remembers, so that it can clean up after them on the bus. */
    predecessors: 8,
    /** Part of the grace that one service may use; after it, the program stops without waiting for that service. */
    serviceStopMs: 2 * second,
    /** Time at the end for a message to the bus about the progress of the store; if it is lost, the next start sends it. */
    lastMarkMs: 0.5 * second,
    /** Pause before a dead embedded nats-server is started again, doubled up to the maximum. */
    busRestartMs: 100,
    busRestartMsMax: 5 * second,
    /** Longest wait of a readiness probe for the store. */
    pingMs: 1 * second,
    /** Time for the command line to connect to the running installation. */
    commandMs: 3 * second,
  },

  backup: {
    /** Timeout of a backup at the caller: 300 MB take a second, and a slow disk takes a hundred times as long. */
    takesMs: 10 * minute,
  },

  demo: {
    /** Time from the start of the installation in which the expected events must happen. */
    patienceMs: 30 * second,
    /** Confirmation delay and recovery delay: long enough to be seen, short enough to wait for. */
    holdMs: 3 * second,
    /** Size of the largest message that the demo's receiver accepts, bytes; real messages have a few KB. */
    messageBytes: 256 * 1_024,
    /** Width at which lines are wrapped; a narrower terminal uses its own width. */
    columns: 80,
  },
} as const
