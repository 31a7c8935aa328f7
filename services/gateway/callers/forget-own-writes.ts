// The gateway's directory client, which removes cached callers after writes of this gateway that change rights. The entries are removed
// before the response is sent: the published revocation (callers/revocations.ts) could arrive after the client's next request.
import type { DirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Revoked } from '#shared/bus/subjects.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask/ask.ts'
import type { Forgetting } from './revocations.ts'

type Revocation = { what: Revoked; id: string }
type Revocations = { [V in AskVerb]?: (request: AskRequest<V>, result: AskResults[V]) => Revocation }

const user = ({ userId }: { userId: string }): Revocation => ({ what: 'user', id: userId })

/** Verbs that change rights, and the ids in their request or result that the directory revokes. */
const revocations: Revocations = {
  'create-workspace': user,
  'add-member': (_request, member) => user(member),
  'change-role': user,
  'remove-member': user,
  'delete-key': ({ keyId }) => ({ what: 'key', id: keyId }),
  'delete-address': ({ addressId }) => ({ what: 'address', id: addressId }),
}

/** Wraps `directory`. Results and errors are unchanged. */
export function forgetOwnWrites(directory: DirectoryClient, memories: readonly Forgetting[]): DirectoryClient {
  return {
    ask: async (verb, request, traceId) => {
      const result = await directory.ask(verb, request, traceId)
      const revocation = revocations[verb]?.(request, result)
      if (revocation !== undefined) for (const memory of memories) memory.revoke(revocation)
      return result
    },
  }
}
