// The bounds of the system in one place, each with its reason: what limits a queue, a batch, a retry, a payload or a wait.
// Contracts and machines may not import them and repeat theirs; a number that only one file can mean stands in that file.

import { intakeLimits } from '#shared/limits-of-intake.ts'
import { peopleLimits } from '#shared/limits-of-people.ts'
import { previewLimits } from '#shared/limits-of-preview.ts'
import { auditLimits, incidentListLimits, overviewLimits } from '#shared/limits-of-reading.ts'
import { storeLimits } from '#shared/limits-of-store.ts'
import { day, hour, minute, second } from '#shared/time-units.ts'

export { day, hour, minute, second }

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
    /** Whoever repeats a command does so within `request.totalMs`, a program perhaps over a whole outage; kept longer it costs memory. */
    receiptAgeMs: 90 * second,
    /** Instants remembered of reports that the keeper stamped: those of a whole round, and what comes until its retries do. */
    stamps: 1_024,
    /** A report is asked again for `request.totalMs` at most. */
    stampAgeMs: 10 * second,
    /** How often a held lease is renewed. */
    leaseRenewMs: 3 * second,
    /**
     * A rival takes a lease that has not moved for this long while the bucket of leases was seen to change: a dead keeper's partitions are taken
     * within 10 s, and nobody's while the bucket has no leader (ADR 24).
     */
    leaseStaleMs: 8 * second,
    /** Changes of that bucket further apart than this have a time between them that makes no lease older. */
    leaseGapMs: 2.5 * second,
    /** A holder stops working this long after its last renewal, or after the last one that nobody answered: before a rival may start. */
    leaseGiveUpMs: 7 * second,
    /** So long at most it goes on without an answer: two elections in a row take 20 s. */
    leaseUnansweredMs: 30 * second,
    /** Freshness of readings is written, and the checkpoint moved, at least this often. */
    checkpointMs: 10 * second,
    /** Subjects whose freshness a checkpoint holds, about 100 B each; those beyond have their documents written. */
    freshnessInCheckpoint: 2_000,
    /**
     * What a commit had to write elsewhere is cleared from the subject within this time. Who changes again before is written once instead
     * of twice: of 1,000 subjects that changed five things every 2 s, 2,017 documents were written each time where it was 1 s, 1,668 where 4.
     */
    pendingMs: 4 * second,
    /** After a take-over nobody is called silent for this long, so that buffered reports arrive first. */
    silenceHoldOffMs: 15 * second,
    /** After a time without reports for as long as it lasted, up to this: whoever reports once in that time has reported again (ADR 22). */
    silenceHoldOffMaxMs: 1 * hour,
    /** Reports that could not be taken for longer than this are lost: a request is asked again for as long (`request.totalMs`). */
    deafMs: 4 * second,
    /** How often a keeper looks whether reports are taken: often enough that one look that comes late is no outage. */
    listenMs: 1 * second,
    /** How often a keeper asks whether the stream answers, and after how long without an answer it counts as silent. */
    streamAskMs: 1 * second,
    streamSilentMs: 2.5 * second,
    /** Deadlines wait so long after an outage of the stream: what probers kept meanwhile comes first. */
    settleMs: 2 * second,
    /** A reminder overdue by more than this is skipped to its next instant. */
    reminderLateMs: 1 * minute,
    /** Subjects kept in memory by one keeper. */
    cachedSubjects: 60_000,
    /** Template revisions kept in memory by one keeper: a few KiB each, read again when they are needed again. */
    templateRevisions: 2_000,
    /** Series of a subject that are remembered with it: sets of labels that its senders use all the time. */
    seriesInMemory: 16,
    /** Check entries that are being written at once; in an outage of their bucket each is tried again every 2 s. */
    checkWritesAtOnce: 64,
    /** Children of a deleted subject removed in one step. */
    deletionSlice: 1_000,
    /** A tombstone outlives the stream (72 h), so that no late report revives its subject. */
    tombstoneMs: 4 * day,
    /** A tag that is gone stays stored for this long, so that no late write of a predecessor brings it back: longer than any lease. */
    goneTagMs: 1 * hour,
    /** A commit that the store refuses to answer is tried again after this, doubled up to the maximum. */
    retryMs: 50,
    retryMsMax: 2 * second,
    /** Partitions given up in one balancing step: one a second, so that every hand-over settles before the next. */
    balanceMs: 1 * second,
    /** A partition that was given up to a keeper that holds fewer is left to it for this long, before anybody takes it. */
    heirMs: 2 * second,
    /** Inputs that could not be judged are kept this long for whoever looks into it. */
    setAsideMs: 30 * day,
    /** Characters of such an input that are kept. */
    setAsideCharacters: 4_000,
    /** Deadlines of one subject stepped for one input: a week of silence, holds and reminders stays far below. */
    deadlinesPerInput: 1_000,
    /** An alert document is kept this long, for the log and for replay. */
    alertMs: 30 * day,
    /** A slot further ahead of its report is a wrong clock's: taken, it would make every later slot look old. */
    slotAheadMs: 60 * second,
    /** Reports of passed checks wait this long for others, or until this many wait at a partition: one commit then serves many. */
    gatherMs: 20,
    gatherResults: 128,
    /** Silence of monitors is looked for at multiples of this, many at once; it counts from its own instant. Holds are not kept waiting. */
    silenceGridMs: 20,
    /** Partitions opened at once: enough to overlap store and bus, few enough that their pages do not fill the memory. */
    takeOversAtOnce: 8,
    /** Rounds of different partitions that run side by side, so that one steps its inputs while another waits for the store. */
    roundsAtOnce: 2,
    /** Rounds that a hand-over waits for before the rest is left to the next holder. */
    handOverRounds: 50,
    /** Work that is due and cannot be done at once (a lease is being lost) is looked at again after this. */
    overdueMs: 20,
    /** How often expired documents are looked for, and the pause between slices while there are more. */
    expireMs: 60 * second,
    expireSliceMs: 50,
    /** Inputs of all partitions taken into one round. */
    inputsPerRoundInAll: 4_096,
  },

  log: {
    /** Lines of one sentence in one spell; the others are counted. Together ten a second: what a person can follow, and a disk can keep. */
    lines: 50,
    spellMs: 5 * second,
    /** Different sentences that are counted at once: the program has some hundred. */
    sentences: 1_000,
  },

  collector: {
    /** How far the heap may grow between two full collections in a calm time, in percent of what lives: what 250 MB leave room for. */
    calmPercent: 10,
    /**
     * How fast the heap fills, in percent of what lives a second: from the first on it is busy, below the second it is calm again. 10,000
     * monitors once a minute fill 1.3.
     */
    busyPercentPerSecond: 1.8,
    calmPercentPerSecond: 1.5,
    /** One that follows another this closely says nothing: V8 itself gives back memory some 650 ms after a collection. The next one counts. */
    pairMs: 1_000,
    /**
     * With 10,000 monitors answers are slow for 110 to 190 ms while a full collection goes on beside them: at 2,000 checks a second that is
     * less than the slowest percent of answers only where it comes this seldom.
     */
    everyMs: 30 * second,
    /** What a busy time may ask for; up to twice the heap. */
    busyPercentMin: 30,
    busyPercentMax: 100,
  },

  presence: {
    /** How often a process says that it lives; a prober, whose share others take over, does so twice as often. */
    beatMs: 2 * second,
    /** A process unheard for this long is gone: take-over among probers of a location happens within 10 s. */
    goneMs: 7 * second,
    /** Where nobody at all is heard for longer than this, that time says nothing of anybody: the bucket has no leader, or nobody hears it here. */
    gapMs: 3.5 * second,
  },

  stream: {
    /** Observations older than this have been judged or are beyond use. */
    ageMs: 72 * hour,
    /** The stream refuses new reports when full; probers then buffer. */
    bytes: 2 * 1024 ** 3,
    /** What every partition has judged is removed from the stream this often. */
    purgeMs: 60 * second,
  },

  bus: {
    /** What the embedded nats-server tries to stay below. */
    serverMemory: '48MiB',
    /** What it may keep in files: all that the stream may grow to, and as much again for the buckets. A full disk refuses before that. */
    serverFileBytes: 4 * 1024 ** 3,
    /** The pause between two attempts to connect again: short, because everything waits for it. */
    reconnectMs: 250,
    /** A server that refused this often in a row is not loading its accounts: then it is asked more seldom. */
    refusals: 10,
    refusedMs: 5 * second,
    /** Questions to a server whether it lives that may stay unanswered before its client leaves it. */
    pingsUnanswered: 2,
    /** How patient a connection to a single server is: nobody else could answer, so it asks seldom and waits long (ADR 24). */
    alone: {
      /** Reaching the server and being greeted by it. */
      dialMs: 10 * second,
      /** How often the server is asked whether it lives. */
      pingMs: 3 * second,
      /** A single try of a request; then its asker tries again, the answer may have been lost or the partition may have moved. */
      tryMs: 2 * second,
      /** One question to the stream's or a bucket's administration. */
      administrationMs: 5 * second,
      /** How long a connection that is back waits for its streams to be declared before it says so: where the store was lost, they are to be there. */
      declareMs: 5 * second,
      /** An acknowledgement later than this is not coming; the report's identity makes its repetition harmless. */
      publishMs: 5 * second,
      /** How often the server says to a waiting reader that it still waits, and how many unsaid ones in a row mean a lost reader. */
      readerHeartbeatMs: 5 * second,
      readerHeartbeatsMissed: 3,
    },
    /**
     * The same in a cluster, where others answer in a dead server's place: a lost acknowledgement costs 2 s, a frozen server as much, a reader that was on
     * a dead server a second. 64 feeds and their heartbeats are 128 small messages a second for the whole cluster.
     */
    clustered: {
      dialMs: 2 * second,
      // Left after 2 s, and back after half a second more, so that a request that began with the freeze is answered within its 4 s.
      pingMs: 0.7 * second,
      tryMs: 1 * second,
      administrationMs: 2 * second,
      // A stream without a leader would keep waiting all who need another one.
      declareMs: 0,
      publishMs: 2 * second,
      readerHeartbeatMs: 0.5 * second,
      readerHeartbeatsMissed: 2,
    },
    /** Timeouts of requests are looked at this often, once for all that wait, instead of a timer each. */
    sweepMs: 50,
    /** Messages a reader asks the server for at once: enough that asking costs nothing a message, few enough to hold in memory. */
    readerBatch: 512,
    /** A reader's request to the server ends by itself after this. */
    readerExpiresMs: 1 * minute,
    /** The server forgets a reader that nobody asks for anything any more. */
    readerForgottenMs: 2 * minute,
    /** Pause before a reader that could not be restored is tried again; doubled up to the maximum. */
    readerRetryMs: 50,
    readerRetryMsMax: 1 * second,
    /** A feed that could not be restored for this long although the bus answers is given up as broken: two elections in a row take 20 s. */
    readerGiveUpMs: 1 * minute,
    /** Requests one process serves at once before it answers busy; each holds its body and its answer in memory. */
    servedAtOnce: 512,
    /** A presence is written every 2 s at least; one older than this is nobody's. */
    presenceAgeMs: 1 * minute,
    /** A gateway that missed a revocation asks the store after `key.cacheMs`; the entry outlives that by far. */
    revocationAgeMs: 1 * hour,
    /** Consumers removed at once: an installation that was attacked may have thousands. */
    removedAtOnce: 32,
    /** Repeated reports are told apart by their slots, so the server need not remember message ids; the smallest it takes. */
    duplicateWindowMs: 100,
  },

  tools: {
    /** `nats-server --version`. */
    versionMs: 5 * second,
    /** Getting a nats-server: seconds by pip, a minute by go on a slow machine. */
    installMs: 5 * minute,
    /** The embedded server writes what it has and ends within milliseconds; its guardian uses force after 5 s. */
    stopMs: 6 * second,
    /** A guardian ends its server this soon after its parent is gone. */
    guardianMs: 7 * second,
  },

  request: {
    /** Known clients give up after 5 s: every v1 and v2 answer leaves within 4 s. */
    totalMs: 4 * second,
    /** The pause after "no responders" before the next try. */
    retryMs: 50,
    /** Largest page that a read answers with. */
    pageBytes: 512 * 1024,
    /** Documents read from the store at once while a page fills: subjects carry receipts and may be large. */
    pageReads: 100,
    /** The first of them, from which the size of the others is guessed: rows of the delivery log may be 100 kB each. */
    pageReadsFirst: 8,
  },

  http: {
    /** Largest request body; one byte more is 2006 `Request too large`. */
    bodyBytes: 1024 * 1024,
    /** JSON nested deeper than this is a mistake or an attack on whoever walks it. */
    jsonDepth: 64,
    /** A body that is too large is read and dropped up to here, so that its sender gets to read the refusal. */
    discardBytes: 8 * 1024 * 1024,
    /** Work on an answer stops here: the rest of the 4 s belongs to the way back. */
    answerMs: 3_700,
    /** A client has this long to send its headers, and this long for the whole request. */
    headersMs: 10 * second,
    requestMs: 30 * second,
    /** How often it is looked who is late with them. */
    lateMs: 1 * second,
    /**
     * A connection on which nothing moves for this long, though its answer is not out yet, is cut: who does not read would hold it for good.
     * Node looks once in this time whether something was written since, so that it may take twice as long.
     */
    stalledMs: 60 * second,
    /** An idle connection is kept a little longer than usual proxies keep theirs, so that they close first. */
    keepAliveMs: 75 * second,
    headerBytes: 16 * 1024,
    /** Connections of one gateway at once; each may hold a body of 1 MiB. */
    connections: 2_000,
    /** Those of one client address that have shown no accepted key or session: a browser opens six, an office has one address. */
    connectionsPerClient: 100,
    /** A connection is not called idle before this: its request may still be on its way. */
    youngMs: 1 * second,
    /** Room above `connections` for those that were just closed, which the server counts until the next turn of its loop. */
    connectionsClosing: 1_000,
    /** On stop, answers on their way get this long before their connections are cut; with `key.lastTouchMs` less than `start.serviceStopMs`. */
    drainMs: 1 * second,
    /** How long reads trust the names of locations; writes look them up. */
    locationNamesMs: 5 * second,
  },

  v3: {
    resourceLabels: 16,
    /** Signals that senders declare on a Resource, beside its Template's (v3 7.3). */
    declaredSignals: 16,
    /** Rows of a signal that one read of the Observation log passes at most: those of reports that were not accepted are passed over. */
    logRowsRead: 2_000,
    /** A response of generation 3 leaves within this (v3 1.10); its clients wait 30 s. */
    answerMs: 10 * second,
    batchAnswerMs: 25 * second,
    /** A body; a batch and a preview have the bound of generations 1 and 2. */
    bodyBytes: 256 * 1024,
    /** Items of a list's page, unless its query says how many, and at most. */
    page: 50,
    pageMax: 200,
    /** Filters of one list by fields, and as many by labels. */
    metaFilters: 5,
    labelFilters: 5,
    /** Resources that a filter of Incidents by what they are may match. */
    filteredSubjects: 5_000,
    /** Tags read at once: at first as many as the asker's thread may read, then ever more up to this, while few of them match. */
    tagReadsFirst: 100,
    tagReads: 1_000,
  },

  audit: auditLimits,
  incidentLists: incidentListLimits,
  overview: overviewLimits,

  directory: {
    /** A guarded put that somebody else overtook is tried again this often: every loss is somebody else's progress. */
    guardedTries: 50,
    /** Candidates for a slug looked at in one read. */
    slugCandidates: 64,
    /** Subjects of one name in a workspace; beyond it, a person has to think of another name. */
    slugNumberMax: 10_000,
    slugCharacters: 64,
    /** A reserved name whose subject never came to be is free again after this: a create takes 4 s at most. */
    reservationMs: 60 * second,
    /** History entries of an incident in one answer: each may carry the evidence of 64 inputs. */
    historyPage: 50,
    /** Locations and keys listed in one answer. */
    listed: 1_000,
    /** What is past its time (sessions, counted sign-ins) is removed this often, at most so many at once. */
    expireMs: 1 * minute,
    expireSlice: 1_000,
    /** Subjects of a deleted workspace that are sent to their keepers side by side: a partition takes 1,000 waiting commands. */
    removedAtOnce: 16,
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
    /** Sockets kept for the next checks; each is about 2 KB. */
    idleSockets: 64,
    /** Results a prober keeps while it is cut off from the bus; the oldest are dropped and counted. */
    bufferedResults: 100_000,
    /** Published results waiting for the bus's acknowledgement at once. */
    publishInFlight: 500,
  },

  resolve: {
    /** One question to one name server, and how often it is asked again: two servers and a repeat fit the 10 s of a connection. */
    tryMs: 2 * second,
    tries: 2,
    /** The list of name servers is read again this often. */
    serversMs: 60 * second,
    /** The hosts file is looked at again this often: a changed line counts within seconds. */
    hostsMs: 5 * second,
    /** System lookups at once: each blocks one of the four threads that the whole process shares. */
    lookups: 2,
  },

  report: {
    /** Results that say nothing new are gathered this long: bus, keeper and store take many at once, and no webhook waits for them. */
    gatherMs: 50,
    /**
     * Pause after a result that the bus did not take, doubled up to the maximum; a reconnect ends it at once. One result is tried at a time, so the
     * pause may be short: all others wait for it when the stream has a leader again.
     */
    retryMs: 100,
    retryMsMax: 0.5 * second,
  },

  /** Where the prober of a process that has other services too runs. */
  proberPlace: {
    /** From so many checks a second on it gets a thread of its own, which costs about 35 MB; below so many it gives it back. */
    apartFrom: 250,
    togetherBelow: 125,
    /** Of its heap: what a check needs is short-lived, and a young generation that may grow does. */
    threadMemory: { maxYoungGenerationSizeMb: 24 },
    /** How long it waits for more monitors to come or go before it looks, and a thread that failed before it is tried again. */
    settleMs: 1 * second,
    retryMs: 30 * second,
  },

  clock: {
    /** How often a prober measures the bus's time against its own, because slots are the bus's. */
    measureMs: 10 * second,
    /** How far two clocks may drift apart, ms a second: an old measure is worth that much less. */
    driftMsPerSecond: 0.02,
    /** A change beyond this is a clock that was set, not one that drifts. */
    jumpMs: 1 * second,
  },

  shedding: {
    /** How often a prober looks whether it keeps up. */
    periodMs: 500,
    /** Checks that start this late in the mean, in two periods in a row, are a sign that the prober does not keep up. */
    lateMs: 100,
    /** Change of the share of checks left out, per period: quick up, slow down, so that it settles instead of swinging. */
    stepUp: 0.1,
    stepDown: 0.02,
    /** Some checks are always made: one in twenty says more than none. */
    shareMax: 0.95,
    /** Checks at once that were not due by their own slot (new monitors, take-overs), so that they never displace those that were. */
    extraInFlight: 100,
    /** A warning about left out checks is repeated at most this often. */
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
    /** Names of custom subjects, their signals and rules, as those of websites. */
    nameCharacters: 100,
    signals: 100,
    rules: 100,
    /** `meta` of a signal: a note for people, kept inside the subject. */
    metaBytes: 16 * 1024,
    /** A subject with all its signals and rules has to fit one answer of the bus, with room to spare. */
    viewBytes: 512 * 1024,
    /** Workspaces named where a slug is ambiguous. */
    ambiguous: 20,
    /** Signals whose subject a gateway remembers, so that a sender's next report costs no look-up: about 10 MB. */
    reportAddresses: 20_000,
  },

  policy: {
    /** One rule's policy as it is stored. */
    bytes: 32 * 1024,
    /** Inputs of one rule; a document of more has outgrown what a person can read. */
    inputs: 64,
    /** Both holds where a rule names none (spec B, Limits). */
    holdMs: 2 * minute,
    /** Holds and silences: a year is longer than anything is kept. */
    durationMs: 365 * day,
  },

  pushed: {
    /** Labels of an observation, their keys and values (spec D 1, Observation intake). */
    labels: 64,
    labelKeyCharacters: 64,
    labelValueCharacters: 256,
    /** A sender's error text is cut to this. */
    errorCharacters: 2_000,
  },

  maintenance: {
    /** Moves of a window's end that its record keeps. */
    steps: 100,
  },

  notifier: {
    /** A claimed delivery belongs to its notifier for this long. */
    claimMs: 30 * second,
    /** Finds what a lost nudge or a dead notifier left. */
    scanMs: 5 * second,
    /** One POST to a destination. */
    sendMs: 10 * second,
    /** Deliveries on their way at once in all; the order matters only within an incident, and there one waits for the other. */
    inFlight: 200,
    /** Deliveries on their way to one destination at once, to begin with; a destination that does not answer gets one at a time. */
    inFlightPerDestination: 8,
    /** To one that takes all it gets: it drains a burst in few rounds of store calls. */
    inFlightPerDestinationMax: 32,
    /** Outcomes that wait for the store before nothing more is sent. */
    unwritten: 500,
    /** Deliveries known to be due that wait in memory for room at one destination; the rest stay in the store for the scan. */
    queuedPerDestination: 1_000,
    /** Alerts, finished attempts or claims handled in one round of store calls; new deliveries too, in whole alerts. */
    batch: 500,
    /** Alert ids waiting between the nudge and the store; one more is left to the scan. */
    nudgeBacklog: 10_000,
    /** Retries held as timers in memory; one more is left to the scan. */
    timers: 10_000,
    /** Pages (of `batch`) that one scan reads; the next scan goes on behind them. */
    scanPages: 20,
    /** A store call of unknown outcome is repeated this often, after `storeRetryMs` doubled each time: 1.5 s in all. */
    storeTries: 6,
    storeRetryMs: 50,
    /** A block of the log's numbers is tried for this often: each loss is a rival's progress, so many in a row mean that something is wrong. */
    numberTries: 120,
    /** Names of locations are read again after this. */
    namesMs: 60 * second,
    namesCached: 10_000,
    /**
     * A stopping notifier waits this long for what it is sending. What is left of `start.serviceStopMs` writes outcomes down and gives claims
     * back: unless that is done before the others end, a message waits for the end of its claim.
     */
    stopMs: 1.5 * second,
    /** Deliveries and alerts are kept this long: days beyond the last retry, so that an incident shows what was told. */
    deliveryMs: 14 * day,
    /** What is too old leaves in slices of this size, this often, at most so many slices at a time. */
    expireMs: 1 * minute,
    expireSlice: 1_000,
    expireSlices: 10,
    /** Characters of a receiver's answer quoted in the log. */
    quoteCharacters: 200,
    /** Characters of a subject's or a workspace's name in a message; longer ones exist only on the bus. */
    nameCharacters: 200,
    /** Characters of a check's own error in a message (spec D 2). */
    errorCharacters: 300,
    /** Characters of a subject's key in a message: the longest there is. */
    keyCharacters: 128,
    /** Characters of an explanation in a message: five comparisons with long keys and values. */
    explanationCharacters: 1_000,
    /** Evidence in a webhook's `incident` object (spec D 3). */
    evidence: { inputs: 16, textCharacters: 200, fields: 16 },
    /** First pause after a failed attempt; doubled with jitter up to the maximum. */
    retryMs: 2 * second,
    retryMsMax: 15 * minute,
    /** A delivery is given up this long after its alert. */
    giveUpMs: 2 * hour,
    /** But no sooner than this after it was taken up: what waited for a notifier is not lost to a receiver that is away for a moment. */
    giveUpMsLeast: 1 * hour,
    /** How much of a receiver's answer is read for the log. */
    answerBytes: 4 * 1024,
    /** What a receiver still says after it took a message is read away for this long, then its connection is closed. */
    drainMs: 1 * second,
    /** Destinations that do not answer may hold this much of `inFlight` together: the rest is for those that do. */
    inFlightUnanswered: 100,
    /** Destinations remembered as not answering while nothing waits for them. */
    lanesKept: 10_000,
    /** A test message is one attempt, given up after this (spec D 2). */
    testMs: 3 * second,
    /** The log row of a test is waited for this long before its answer leaves. */
    testLogMs: 300,
    /** Who asks for a test message waits this long: its attempt, its row and the way, less than the 3.7 s of an HTTP answer. */
    testAnswerMs: 3_600,
    /** Test messages on their way at once; one more is answered busy. */
    testsAtOnce: 32,
    /** Delivery log rows are kept this long. */
    logMs: 30 * day,
  },

  operator: {
    /** A location without a live prober for this long is lost: longer than the restart of a prober, or the take-over by another (7 s). */
    lostMs: 15 * second,
    /** What could not be judged because the store did not answer is judged again after this. */
    retryMs: 5 * second,
    /** How often conditions that nothing announces are looked for: keys, disk, dead letters, messages that a dead notifier left. */
    lookMs: 30 * second,
    /** When a location was last seen is written this often. */
    seenMs: 1 * minute,
    /** Whether monitors use a lost location is read this often: it looks at every subject. */
    usageMs: 10 * minute,
    /** Subjects looked at in one read for that. */
    scanSubjects: 5_000,
    /** How long before its end the operator hears of a key. */
    keyMs: 14 * day,
    /** The next key to end is looked up at least this often: another one may have been made. */
    keysMs: 1 * hour,
    /** A destination that has taken nothing for this long is failing: longer than the restart of any receiver. */
    failingMs: 1 * hour,
    /** Rows of the delivery log read to make sure of that. */
    failingRows: 500,
    /** A disk with less free is full, or with less than `diskShare` of it where that is less. Twice as much is room again. */
    diskFreeBytes: 256 * 1024 ** 2,
    diskShare: 0.05,
    /** Dead letters are over when none was added for this long. */
    quietMs: 1 * hour,
    /** Dead letters, keys or failing destinations handled in one look; the next look goes on. */
    batch: 500,
    /** Conditions read at once: 500 locations, and what else is raised. */
    conditions: 5_000,
    /** Messages that wait for the operator's receiver, of one condition; the oldest is dropped. */
    unsent: 20,
    /** A message belongs to the notifier that sends it for this long. */
    claimMs: 30 * second,
    /** A message that nobody took is given up after this. */
    giveUpMs: 1 * day,
    /** A guarded put that a rival overtook is tried again this often. */
    guardedTries: 20,
    /** Characters of a name or of an error in a message. */
    textCharacters: 300,
    /** Sentences in the answer of /readyz. */
    warnings: 50,
  },

  destination: {
    nameCharacters: 100,
    urlCharacters: 2_048,
    channelCharacters: 80,
    /** All of a workspace fit one answer of the bus. */
    perWorkspace: 100,
    /** Uses that the refusal of a deletion lists; the others are counted. */
    usesListed: 20,
    /** Random bytes of a signing secret: Standard Webhooks takes 24 to 64. */
    secretBytes: 32,
    /** The new one and, while receivers change over, the one before. */
    secrets: 2,
    /** How long the one before may sign along. */
    secretGraceMs: 30 * day,
  },

  template: {
    /** A payload template as it is stored (spec D 2). */
    bytes: 16 * 1024,
    /** What it renders to: twice its size leaves room for every value, and a thousand rows of the log still fit one answer. */
    outputBytes: 32 * 1024,
    nameCharacters: 100,
    perWorkspace: 100,
    /** Characters of a wrong field's name that an error quotes. */
    quotedCharacters: 40,
  },

  deliveryTable: {
    /** Tables looked at in one read, and how many such reads clear what names a destination that is gone; reading skips the rest. */
    sweepPage: 500,
    sweepPages: 20,
  },

  deliveries: {
    /** Rows of the delivery log in one answer (spec D 2). */
    listed: 1_000,
  },

  egress: {
    /** CIDR blocks in EGRESS_DENY or EGRESS_ALLOW: each connection is held against all of them. */
    blocks: 1_000,
  },

  ...peopleLimits,

  judging: {
    /** A platform HTTP input that never reported is young for this long (spec D 1). */
    websiteGraceMs: 60 * second,
    /** A platform HTTP input is silent after this many intervals (spec D 1). */
    silentIntervals: 3,
    /** A custom heartbeat that names no time is silent after this (spec D 1). */
    heartbeatSilentMs: 5 * minute,
    /** Inputs that the evidence of a verdict keeps: all that a policy may have. */
    evidenceInputs: 64,
    /** Characters of a sender's error that evidence keeps: what a message shows (spec D 2). */
    reasonCharacters: 300,
    /** Inputs that the evidence of a Template's rule keeps: all comparisons that a decision may have. */
    decisionInputs: 16,
    /** Names that an explanation lists before it counts the rest. */
    namesListed: 5,
  },

  intake: intakeLimits,

  templateRevision: {
    /** Revisions of a workspace, which one list shows whole, and bytes of all of them (v3 3.2). */
    perWorkspace: 1_000,
    bytesPerWorkspace: 16 * 1024 ** 2,
    /** Revisions read at once for a page: most are a few kilobytes. */
    perRead: 50,
  },

  preview: previewLimits,

  store: storeLimits,

  rollUp: {
    /** Bins of one bucket's histogram; what spreads over more has them merged in pairs. Latencies up to 30 s need 110. */
    bins: 128,
    /** An hour is rolled up this long after its end, for reports on their way. */
    settleMs: 5 * minute,
    /** The partitions' turns within the hour, so that not all are read at once. */
    spreadMs: 40 * minute,
    /** A day is settled this long after its end: what reports later than that is not counted. */
    settleDayMs: 2 * day,
    /** The partitions' turns at settling a day. */
    spreadDayMs: 6 * hour,
    /** How often it is looked what is due. */
    lookMs: 60 * second,
    /** Subjects worked on at once, and the pause behind them, so that nobody notices. */
    subjectsAtOnce: 4,
    pauseMs: 20,
    /** Subjects looked up, and old incidents or windows removed, in one read. */
    subjectsPerRead: 500,
    incidentsPerRead: 50,
    /** Checks in one read: the store's worker is busy with it for a millisecond. */
    checksPerRead: 360,
    /** A pushed observation may have 20 KB. */
    pushedPerRead: 200,
    /** Buckets in one answer. */
    bucketsPerAnswer: 1_000,
    /** Raw observations read for one answer. */
    rawRowsPerAnswer: 20_000,
    /** Checks as recent as this are read raw, so that late reports are seen at once. */
    rawChecksMs: 1 * day,
  },

  retention: {
    /** Raw check results. */
    checksMs: 3 * day,
    /** Raw check results that are not rolled up yet stay so much longer. */
    heldBackMs: 2 * day,
    /** Roll-ups. */
    rollUpsMs: 400 * day,
    /** Closed incidents with their history, and maintenance windows that have ended. */
    incidentsMs: 400 * day,
    /** Observations that senders pushed. */
    pushedMs: 30 * day,
    /** Rows of the audit; those of Observations, which are by far the most, leave with the Observations. */
    auditMs: 400 * day,
    auditObservationsMs: 30 * day,
  },

  prober: {
    /** Credentials of an installation, revoked ones included: the server gets all revocations in one message. */
    credentials: 1_000,
    descriptionCharacters: 200,
    /** Of one connection of a remote prober: it has one inbox, and sends a few dozen reports in a message. */
    subscriptions: 1,
    payloadBytes: 16 * 1024,
    /** Live probers of a location, and its connections, half as many again: one that is cut off may come back before it is missed. */
    perLocation: 32,
    connectionsPerLocation: 48,
    /** Revocations that the bus did not take are told again after this. */
    announceRetryMs: 5 * second,
  },

  start: {
    /** How long start-up waits for a bus or a store that does not answer. */
    patienceMs: 10 * second,
    /** SIGTERM to exit. */
    graceMs: 5 * second,
    /** A signal repeated within this time is the same one: npm hands on at once what the terminal has sent. */
    sameSignalMs: 0.5 * second,
    /** A killed process whose threads still end is looked at this often and this long: a disk may hold them up, and no longer than that. */
    endingLookMs: 20,
    endingMs: 3 * second,
    /** Killed holders of a data folder that the next one remembers, so that it may clear what they left on the bus. */
    predecessors: 8,
    /** What one service may take of the grace before the others end without it. */
    serviceStopMs: 2 * second,
    /** At the end the bus is told within this how far the store has come; what it does not hear the next start tells it. */
    lastMarkMs: 0.5 * second,
    /** A dead embedded nats-server is started again after this, doubled up to the maximum. */
    busRestartMs: 100,
    busRestartMsMax: 5 * second,
    /** How long a readiness probe waits for the store. */
    pingMs: 1 * second,
    /** A command line call to the running installation connects within this. */
    commandMs: 3 * second,
  },

  backup: {
    /** Whoever asked gives up after this: 300 MB take a second, and a slow disk a hundred times as long. */
    takesMs: 10 * minute,
  },

  demo: {
    /** What is expected must have happened within this, from the start of the installation on. */
    patienceMs: 30 * second,
    /** Both holds: long enough to be seen, short enough to be waited for. */
    holdMs: 3 * second,
    /** The largest message its receiver takes; real ones have a few KB. */
    messageBytes: 256 * 1_024,
    /** Lines are folded at this width, or at the terminal's where that is narrower. */
    columns: 80,
  },
} as const
