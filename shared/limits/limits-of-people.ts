// Bounds for people, their keys and the session API; part of `shared/limits/limits.ts`.
import { day, hour, minute, second } from '#shared/time/time-units.ts'

export const peopleLimits = {
  people: {
    /** Largest number of accounts of one installation; each has a document and, while signed in, a few sessions. */
    users: 10_000,
    usernameCharacters: 64,
    displayNameCharacters: 100,
    workspaceNameCharacters: 60,
    /** Largest number of members of a workspace. The roster is one document, which is read with every key that is not cached. */
    membersPerWorkspace: 200,
    /** Largest number of workspaces of a user. Every authentication reads the rosters of all these workspaces. */
    workspacesPerUser: 100,
    /** Largest number of usernames that are tried for a new user if the name that the provider proposes is taken. */
    usernameCandidates: 100,
  },

  password: {
    charactersMin: 8,
    charactersMax: 1_024,
    /** argon2id parameters as OWASP recommends: 19 MiB, two passes, one lane. */
    memoryKib: 19 * 1024,
    passes: 2,
    parallelism: 1,
    hashBytes: 32,
    /** Largest number of concurrent hashes: each takes 19 MiB and one of the four threads of the process's thread pool. */
    atOnce: 2,
    /** Largest number of hashes that wait; a further request is refused with `busy`, because it would wait for over a second. */
    waiting: 32,
  },

  signIn: {
    /** Attempts for one username before a wait, which doubles up to the maximum: an attacker can lock a user out for a minute at most. */
    triesPerName: 5,
    waitPerNameMsMax: 1 * minute,
    /** Attempts from one client address, which many people may share, before a wait. An attacker has few addresses. */
    triesPerClient: 20,
    waitPerClientMsMax: 15 * minute,
    waitMs: 1 * second,
    /** Time after the last attempt at which all counted attempts are forgotten. */
    forgetMs: 1 * hour,
  },

  sessions: {
    /** Time after which an unused session ends. `lifeMsMax`: time after which every session ends. */
    lifeMs: 14 * day,
    lifeMsMax: 90 * day,
    /** Least interval between two extensions of a session by its use. */
    prolongMs: 1 * hour,
    /** Largest number of sessions of a user; a further sign-in ends the oldest. */
    perUser: 20,
  },

  location: {
    nameCharacters: 100,
    /** Largest number of locations of an installation: all locations fit one response on the bus. */
    perInstallation: 500,
    /** Largest number of subjects in one read of the search for monitors that use a location. */
    scanSubjects: 5_000,
  },

  key: {
    /** Largest number of keys of one person: a longer list is hard to read. */
    perUser: 100,
    /** A key is valid for 180 days (reference/envelope 1.4). */
    lifeMs: 180 * day,
    descriptionCharacters: 200,
    /** Time for which a gateway uses its cached copy of a key; a deletion reaches it at once by the revocations bucket. */
    cacheMs: 30 * second,
    cached: 10_000,
    /** Least interval between two messages to the directory about the last use of keys. */
    touchMs: 10 * second,
    /** Time to send the last message about the use of keys on stop. */
    lastTouchMs: 500,
  },

  /** Observation addresses (v3 8.2 and 8.4). */
  address: {
    /** Largest number of addresses of a workspace: one response lists all addresses. */
    perWorkspace: 100,
    /** Maximum of Resources that reports to one address create in a day of UTC, so that a leaked token cannot fill a workspace at once. */
    resourcesPerDay: 1_000,
    /** Largest number of unarchived Resources of a workspace, however they are created: reading all of them takes minutes. */
    resourcesPerWorkspace: 100_000,
  },

  sessionApi: {
    /** Largest number of characters of a text in a request on the bus. The directory checks tighter bounds, with errors for people. */
    textCharacters: 4_096,
    /** Largest number of percent-encoded characters of the page that follows a sign-in at a provider: its cookie must stay below 4 KiB. */
    returnToCharacters: 2_000,
    /** Time for a person to sign in at the provider. */
    oidcTransactionMs: 10 * minute,
    /** Time for which the discovered endpoints are cached: providers change them rarely, and announce it. */
    oidcDiscoveryMs: 1 * hour,
    oidcRequestMs: 3 * second,
    /** Largest number of bytes of one response of the provider: keys and metadata have a few KB. */
    oidcAnswerBytes: 1024 * 1024,
    /** Largest number of concurrent sign-ins of one gateway that wait for the provider. */
    oidcAtOnce: 100,
    proxies: 16,
  },
} as const
