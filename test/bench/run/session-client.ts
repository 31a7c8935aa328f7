// Signs in people, whose cookies authenticate requests to the session API.
import type { Role } from '#shared/contracts/account.ts'
import type { Connection } from './connection.ts'

export interface SignedIn {
  cookie: string
}

const password = 'a password for a measurement'

/** Creates members of the workspace for the run, and signs them in. */
export async function signInMembers(
  connection: Connection,
  url: string,
  workspaceId: string,
  count: number,
  role: Role = 'viewer',
): Promise<SignedIn[]> {
  const people: SignedIn[] = []
  for (let i = 0; i < count; i++) {
    const username = `bench-${i}`
    await connection.directory.ask('create-user', { id: username, username, displayName: username, password, admin: false })
    await connection.directory.ask('add-member', { workspaceId, username, role })
    const headers = { origin: url, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/session/sign-in`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ username, password }),
    })
    const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0]
    if (answer.status !== 200 || cookie === undefined) throw new Error(`${username} could not sign in: ${answer.status}`)
    people.push({ cookie })
  }
  return people
}
