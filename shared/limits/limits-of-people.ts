// Bounds for people, their keys and the session API; part of `shared/limits/limits.ts`.
import { day, hour, minute, second } from '#shared/time/time-units.ts'

export const peopleLimits = {
  people: {
    /** Largest number of accounts of one installation. An account has one document and, while its user is signed in, a few sessions. */
    users: 10_000,
    usernameCharacters: 64,
    displayNameCharacters: 100,
    workspaceNameCharacters: 60,
    /** Largest number of members of a workspace. The roster is part of one document, which is read whenever a gateway looks up a key. */
    membersPerWorkspace: 200,
    /** Largest number of workspaces of a user. Every authentication reads the rosters of all these workspaces. */
    workspacesPerUser: 100,
    /**
     * Largest number of pending invitations of a workspace. They are part of the same document as the roster. Declined ones count until
     * they end, so that the count does not show who declined.
     */
    invitationsPerWorkspace: 100,
    /** Largest number of pending invitations by one person in all workspaces, so that nobody sends invitations in bulk. */
    invitationsPerInviter: 100,
    /** Largest number of invitations that a person is shown at once, newest first. Every answered invitation makes room for another. */
    invitationsShown: 20,
    /** Time after which an invitation ends. */
    invitationLifeMs: 30 * day,
    /** Largest number of usernames that are tried for a new user, beginning with the name that the provider proposes. */
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
    /** Largest number of concurrent hashes. A hash takes 19 MiB and one of the four threads of the process's thread pool. */
    atOnce: 2,
    /**
     * Largest number of password hashes that wait for a thread. A further request is refused with `busy`, because it would wait for over a
     * second.
     */
    waiting: 32,
  },

  signIn: {
    /**
     * Number of failed attempts for one username from one client network, or from one browser that is known, before a wait is required. The
     * wait doubles with each attempt up to a maximum.
     */
    triesPerName: 5,
    /**
     * Number of failed attempts for one username from all networks together before a wait is required. One network adds `triesPerName` at
     * most, so that only an attacker with several networks can delay a person who signs in at a new browser, for at most a minute.
     */
    triesPerNameInAll: 20,
    /** Time for which a browser in which a person signed in is known, so that attempts of others do not delay it. */
    knownMs: 365 * day,
    waitPerNameMsMax: 1 * minute,
    /**
     * Number of failed attempts from one client network before a wait is required. Many people may share a network, but an attacker has few
     * networks.
     */
    triesPerClient: 20,
    waitPerClientMsMax: 15 * minute,
    waitMs: 1 * second,
    /** Time until the count of attempts is reset; it begins when the wait after the last attempt ends. */
    forgetMs: 1 * hour,
  },

  sessions: {
    /** Time without use after which a session ends. `lifeMsMax`: time after its beginning at which any session ends. */
    lifeMs: 14 * day,
    lifeMsMax: 90 * day,
    /** Least interval between two extensions of a session that is in use. */
    prolongMs: 1 * hour,
    /** Largest number of sessions of a user; a further sign-in ends the oldest. */
    perUser: 20,
  },

  location: {
    nameCharacters: 100,
    /** Largest number of locations of an installation, so that all locations fit one response on the bus. */
    perInstallation: 500,
    /** Number of subjects that one read returns in the search for monitors that use a location. */
    scanSubjects: 5_000,
  },

  key: {
    /** Largest number of API keys of one person. A longer list would be hard to read. */
    perUser: 100,
    /** A key is valid for 180 days (reference/envelope 1.4). */
    lifeMs: 180 * day,
    descriptionCharacters: 200,
    /**
     * Time for which a gateway uses its cached copy of a key. A deletion takes effect at once, because the revocations bucket notifies the
     * gateway.
     */
    cacheMs: 30 * second,
    cached: 10_000,
    /** Least interval between two messages by which a gateway reports the last use of keys to the directory. */
    touchMs: 10 * second,
    /** Time that a stopping gateway has to send its last message about the use of keys. */
    lastTouchMs: 500,
  },

  /** Observation addresses (v3 8.2 and 8.4). */
  address: {
    /** Largest number of Observation addresses of a workspace. One response lists all of them. */
    perWorkspace: 100,
    /** Maximum of Resources that reports to one address can create in a day of UTC. Thus a leaked token cannot fill a workspace at once. */
    resourcesPerDay: 1_000,
    /** Largest number of Resources of a workspace that are not archived. To read so many Resources takes minutes. */
    resourcesPerWorkspace: 100_000,
  },

  acknowledge: {
    /** Time for which a key signs acknowledge links. The former key is kept as well, so its links work until they expire. */
    keyMs: 30 * day,
    keys: 2,
    keyBytes: 32,
    /** Attempts to write the keys; one fails only if another process succeeds. */
    keyTries: 10,
    /** Time for which a notifier uses the signing key without reading it again. Links that it makes so long after a rotation are dead. */
    keyReadMs: 1 * second,
    byCharacters: 100,
    /** Largest body of a form or of a telephone's action, bytes. */
    bodyBytes: 4 * 1024,
    /** Largest number of POSTs from one client network in a minute. */
    postsPerMinute: 30,
    /** Number of client networks whose POSTs are counted; beyond it the one that was quiet longest is forgotten. */
    networks: 10_000,
  },

  sessionApi: {
    /**
     * Largest number of characters of a text in a request on the bus. The directory also checks smaller maxima, with error messages for
     * people.
     */
    textCharacters: 4_096,
    /**
     * Largest number of characters of the address to which a person returns after a sign-in at a provider, percent-encoded. The address
     * must fit a cookie of 4 KiB.
     */
    returnToCharacters: 2_000,
    /** Time that a person has to sign in at the provider. */
    oidcTransactionMs: 10 * minute,
    /** Time for which the discovered endpoints of a provider are cached. Providers change them rarely, and announce changes. */
    oidcDiscoveryMs: 1 * hour,
    oidcRequestMs: 3 * second,
    /** Largest number of bytes of one response of the provider. Its keys and metadata usually have a few KB. */
    oidcAnswerBytes: 1024 * 1024,
    /** Largest number of sign-ins that may wait for the provider at the same time in one gateway. */
    oidcAtOnce: 100,
    proxies: 16,
  },
} as const
