// A real OIDC provider in this process, with one client. It uses the certified server library oidc-provider. Its people are signed in at
// the provider already, or refuse to sign in.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error: the package comes without types
import Provider from 'oidc-provider'

export interface ProviderPerson {
  sub: string
  name?: string
  preferred_username?: string
  email?: string
}

export interface TestProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** Person who signs in next; null: the person refuses. */
  person: ProviderPerson | null
  /** Paths of the received requests, without their query. */
  asked: string[]
  /** Stops listening. */
  stop(): Promise<void>
  /** Listens again, at the same port. */
  start(): Promise<void>
}

const clientId = 'watchkeeper'
const clientSecret = 'a secret that the provider made'

export async function startProvider(options: ProviderOptions): Promise<TestProvider> {
  let handle: (...given: Parameters<Parameters<typeof createServer>[1] & object>) => void = () => undefined
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '/', 'http://any').pathname)
    response.setHeader('connection', 'close')
    handle(request, response)
  })
  const port = await listen(server, 0)
  const issuer = `http://127.0.0.1:${port}`
  const self: TestProvider = {
    issuer,
    clientId,
    clientSecret,
    person: null,
    asked,
    stop: () => new Promise(resolve => server.close(() => resolve())),
    start: async () => void (await listen(server, port)),
  }
  const people = new Map<string, ProviderPerson>()
  const provider = new Provider(issuer, configuration(options, people))
  const answer = provider.callback()
  handle = async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    if (self.person) people.set(self.person.sub, self.person)
    const outcome = self.person
      ? { login: { accountId: self.person.sub } }
      : { error: 'access_denied', error_description: 'The person said no.' }
    await provider.interactionFinished(request, response, outcome, { mergeWithLastSubmission: false })
  }
  return self
}

interface ProviderOptions {
  redirectUri: string
  /** Authentication method of the client at the token endpoint. */
  authentication?: string
}

function configuration(
  { redirectUri, authentication = 'client_secret_basic' }: ProviderOptions,
  people: Map<string, ProviderPerson>,
) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: authentication,
      },
    ],
    clientAuthMethods: [authentication],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'] },
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => people.get(accountId) }),
    // Consent is not tested: every person who signs in has already consented.
    // biome-ignore lint/suspicious/noExplicitAny: the package comes without types
    loadExistingGrant: async ({ oidc }: any) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
