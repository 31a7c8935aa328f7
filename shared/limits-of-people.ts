// The bounds that people, their keys and the session API meet; `shared/limits.ts` holds them with all others.
import { day, hour, minute, second } from '#shared/time-units.ts'

export const peopleLimits = {
  people: {
    /** Accounts of one installation; each costs a document and, signed in, a few sessions. */
    users: 10_000,
    usernameCharacters: 64,
    displayNameCharacters: 100,
    workspaceNameCharacters: 60,
    /** The roster is one document, read with every key that is not remembered. */
    membersPerWorkspace: 200,
    /** Every authentication reads the rosters of the user's workspaces. */
    workspacesPerUser: 100,
    /** Names tried for somebody whose provider proposes a taken one. */
    usernameCandidates: 100,
  },

  password: {
    charactersMin: 8,
    charactersMax: 1_024,
    /** argon2id as OWASP advises: 19 MiB, two passes, one lane. */
    memoryKib: 19 * 1024,
    passes: 2,
    parallelism: 1,
    hashBytes: 32,
    /** Hashes at once: each takes 19 MiB and one of the four threads that the process shares. */
    atOnce: 2,
    /** Hashes waiting for their turn; one more is answered busy, because it would wait for over a second. */
    waiting: 32,
  },

  signIn: {
    /**
     * Tries for one name before the first wait, which then doubles from `waitMs` to the maximum: whoever locks others out of a name can do
     * so for a minute at a time.
     */
    triesPerName: 5,
    waitPerNameMsMax: 1 * minute,
    /** The same for an address: many people may share one, and whoever guesses many names has few. */
    triesPerClient: 20,
    waitPerClientMsMax: 15 * minute,
    waitMs: 1 * second,
    /** Tries are forgotten this long after the last. */
    forgetMs: 1 * hour,
  },

  sessions: {
    /** A session that is not used ends after this, and in any case after the maximum. */
    lifeMs: 14 * day,
    lifeMsMax: 90 * day,
    /** Using a session prolongs it at most this often. */
    prolongMs: 1 * hour,
    /** One more sign-in ends the oldest. */
    perUser: 20,
  },

  location: {
    nameCharacters: 100,
    /** All of them fit one answer of the bus. */
    perInstallation: 500,
    /** Subjects looked at in one read for whether they use a location. */
    scanSubjects: 5_000,
  },

  key: {
    /** Keys of one person, so that a list of them stays readable. */
    perUser: 100,
    /** A key is valid for 180 days (spec A, Authentication 3). */
    lifeMs: 180 * day,
    descriptionCharacters: 200,
    /** A gateway trusts its copy of a key for this long; a deletion reaches it at once by the revocations bucket. */
    cacheMs: 30 * second,
    cached: 10_000,
    /** When keys were used is told to the directory at most this often. */
    touchMs: 10 * second,
    /** On stop, the last of it gets this long. */
    lastTouchMs: 500,
  },

  /** Observation addresses (v3 8.2 and 8.4). */
  address: {
    /** One answer lists them all. */
    perWorkspace: 100,
    /** Resources that the reports to one address make in a day of UTC: a token that got out fills no workspace at once. */
    resourcesPerDay: 1_000,
    /** Unarchived Resources of a workspace, whoever makes them: their lists are read in minutes. */
    resourcesPerWorkspace: 100_000,
  },

  sessionApi: {
    /** A text in a request: what the bus takes. The directory has the finer rules, and refuses with a sentence. */
    textCharacters: 4_096,
    /** Where a person is sent after signing in at a provider, percent-encoded: its cookie stays below the 4 KiB that browsers keep. */
    returnToCharacters: 2_000,
    /** A person has this long for the sign-in at the provider. */
    oidcTransactionMs: 10 * minute,
    /** What discovery found is trusted for this long: providers change their endpoints rarely, and announce it. */
    oidcDiscoveryMs: 1 * hour,
    /** One request to the provider. */
    oidcRequestMs: 3 * second,
    /** One answer of the provider: keys and metadata have a few KB. */
    oidcAnswerBytes: 1024 * 1024,
    /** Sign-ins waiting for the provider at once in one gateway. */
    oidcAtOnce: 100,
    /** Proxies in front of the gateway. */
    proxies: 16,
  },
} as const
