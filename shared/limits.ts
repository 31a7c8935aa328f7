// Every bound of the system in one place, each with its reason. A number that limits a queue, a batch, a retry, a payload
// or a wait is written here and nowhere else.

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

export const limits = {
  /** Part of the data format: partition = fnv1a32(subjectId) mod 64. Never change it on a living installation. */
  partitions: 64,

  keeper: {
    /** Inputs taken from one partition in one round: large enough to amortise a commit, small enough to share the loop. */
    inputsPerRound: 512,
    /** Observations a partition holds between the bus and its rounds before it stops pulling. */
    feedBacklog: 2_048,
    /** Commands waiting at one partition; one more is answered busy at once, because its asker would time out anyway. */
    commandBacklog: 1_000,
    /** Answers remembered per subject: a retry arrives within seconds, so a short memory is enough. */
    receipts: 16,
    /** A receipt older than this belongs to a request whose client gave up long ago. */
    receiptAgeMs: 5 * minute,
    /** How often a held lease is renewed. */
    leaseRenewMs: 3 * second,
    /** A rival takes a lease whose revision has not moved for this long on the rival's own monotonic clock. */
    leaseStaleMs: 10 * second,
    /** A holder stops working this long after its last renewal: 3 s before a rival may start. */
    leaseGiveUpMs: 7 * second,
    /** Freshness of readings is written, and the checkpoint moved, at least this often. */
    checkpointMs: 10 * second,
    /** What a commit still has to write elsewhere is cleared from the subject within this time. */
    pendingMs: 1 * second,
    /** After a take-over nobody is called silent for this long, so that buffered reports arrive first. */
    silenceHoldOffMs: 15 * second,
    /** A reminder overdue by more than this is skipped to its next instant. */
    reminderLateMs: 1 * minute,
    /** Subjects kept in memory by one keeper. */
    cachedSubjects: 60_000,
    /** Children of a deleted subject removed in one step. */
    deletionSlice: 1_000,
    /** A tombstone outlives the stream (72 h), so that no late report revives its subject. */
    tombstoneMs: 4 * day,
    /** A commit that the store refuses to answer is tried again after this, doubled up to the maximum. */
    retryMs: 50,
    retryMsMax: 2 * second,
    /** Partitions given up in one balancing step: one a second, so that every hand-over settles before the next. */
    balanceMs: 1 * second,
    /** A subject whose inputs cannot be judged keeps this many of them set aside. */
    setAsidePerRound: 100,
  },

  presence: {
    /** How often a process says that it lives. */
    beatMs: 2 * second,
    /** A process unheard for this long is gone: take-over among probers of a location happens within 10 s. */
    goneMs: 7 * second,
  },

  stream: {
    /** Observations older than this have been judged or are beyond use. */
    ageMs: 72 * hour,
    /** The stream refuses new reports when full; probers then buffer. */
    bytes: 2 * 1024 ** 3,
    /** A holder removes what it has judged from the stream at most this often. */
    purgeMs: 60 * second,
  },

  request: {
    /** A single try of a bus request; then the asker tries again, the partition may have moved. */
    tryMs: 2 * second,
    /** Known clients give up after 5 s: every v1 and v2 answer leaves within 4 s. */
    totalMs: 4 * second,
    /** The pause after "no responders" before the next try. */
    retryMs: 50,
    /** Largest page that a read answers with. */
    pageBytes: 512 * 1024,
  },

  http: {
    /** Largest request body; one byte more is 2006 `Request too large`. */
    bodyBytes: 1024 * 1024,
  },

  check: {
    connectMs: 10 * second,
    tlsMs: 10 * second,
    totalMs: 30 * second,
    /** The expected substring is looked for in this much of the decoded body. */
    bodyBytes: 1024 * 1024,
    /** Response headers beyond this are an answer that nobody can use. */
    headerBytes: 64 * 1024,
    /** An error sentence longer than this is cut. */
    errorCharacters: 300,
    /** Checks a prober runs at once; beyond it, due checks are shed evenly and counted. */
    inFlight: 1_000,
    /** Results a prober keeps while it is cut off from the bus; the oldest are dropped and counted. */
    bufferedResults: 100_000,
    /** Published results waiting for the bus's acknowledgement at once. */
    publishInFlight: 500,
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

  notifier: {
    /** A claimed delivery belongs to its notifier for this long. */
    claimMs: 30 * second,
    /** Finds what a lost nudge or a dead notifier left. */
    scanMs: 5 * second,
    /** One POST to a destination. */
    sendMs: 10 * second,
    /** Deliveries on their way to one destination at once: one, to keep the order; and in all. */
    inFlight: 200,
    /** First pause after a failed attempt; doubled with jitter up to the maximum. */
    retryMs: 2 * second,
    retryMsMax: 15 * minute,
    /** A delivery is given up this long after its alert. */
    giveUpMs: 2 * hour,
    /** How much of a receiver's answer is read for the log. */
    answerBytes: 4 * 1024,
    /** Delivery log rows are kept this long. */
    logMs: 30 * day,
  },

  destination: { nameCharacters: 100, urlCharacters: 2_048, channelCharacters: 80 },

  key: {
    /** A key is valid for 180 days (spec A, Authentication 3). */
    lifeMs: 180 * day,
    descriptionCharacters: 200,
    /** A gateway trusts its copy of a key for this long; a deletion reaches it at once by the revocations bucket. */
    cacheMs: 30 * second,
    cached: 10_000,
  },

  judging: {
    /** A platform HTTP input that never reported is young for this long (spec D 1). */
    websiteGraceMs: 60 * second,
    /** A platform HTTP input is silent after this many intervals (spec D 1). */
    silentIntervals: 3,
  },

  retention: {
    /** Raw check results. */
    checksMs: 3 * day,
  },

  reminderMs: 4 * hour,

  start: {
    /** How long start-up waits for a bus or a store that does not answer. */
    patienceMs: 10 * second,
    /** SIGTERM to exit. */
    graceMs: 5 * second,
  },
} as const
