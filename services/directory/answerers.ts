// Table of the functions that handle requests to the directory, one for each verb.
import type { AskVerb } from '#shared/contracts/ask/ask.ts'
import { listAudit, listAuditedWorkspaces, recordAudit } from './audit/audit.ts'
import type { AskAnswerer } from './context.ts'
import { readAcknowledgeLink, rotateAcknowledgeLinks } from './incidents/acknowledge-links.ts'
import { outlineIncident, readTransitions } from './incidents/incident-history.ts'
import { listIncidents, readIncident } from './incidents/incident-list.ts'
import { getIncidentRecords } from './incidents/incident-records.ts'
import { listIncidentResponses } from './incidents/incident-responses.ts'
import { getIncident, listConditions, listOpenIncidents } from './incidents/incidents.ts'
import { createAddress, deleteAddress, findAddress, listAddresses } from './keys/addresses.ts'
import { authenticate, createKey, deleteKey, listKeys, touchKeys } from './keys/keys.ts'
import { createLocation, deleteLocation, ensureLocation, listLocations, updateLocation } from './locations/locations.ts'
import { createProberCredential, deleteProberCredential, listProberCredentials } from './locations/prober-credentials.ts'
import { changeDestination } from './notifications/change-destination.ts'
import {
  listDeliveries,
  listDeliveryLog,
  listDestinationDeliveries,
  listIncidentDeliveries,
} from './notifications/delivery-log.ts'
import { getDeliveryTable, putDeliveryTable } from './notifications/delivery-tables.ts'
import { deleteDestinationSecret, rotateDestinationSecret } from './notifications/destination-secrets.ts'
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  makeDefaultDestination,
  switchDestination,
  updateDestination,
} from './notifications/destinations.ts'
import {
  createTransformation,
  deleteTransformation,
  getTransformation,
  listTransformations,
  updateTransformation,
} from './notifications/transformations.ts'
import { describeUser } from './people/callers.ts'
import { deleteUser } from './people/delete-user.ts'
import { deleteWorkspace } from './people/delete-workspace.ts'
import {
  acceptInvitation,
  declineInvitation,
  invite,
  listInvitations,
  listWorkspaceInvitations,
  withdrawInvitation,
} from './people/invitations.ts'
import { addMember, changeRole, listMembers, removeMember } from './people/members.ts'
import { endSessions, findSession, signOut } from './people/sessions.ts'
import { setPassword } from './people/set-password.ts'
import { signIn, signInOidc } from './people/sign-in.ts'
import { createUser, findUser, listUsers, updateUser } from './people/users.ts'
import { createWorkspace, listAllWorkspaces, listWorkspaces, renameWorkspace } from './people/workspaces.ts'
import { findPing, findPinged, findPush } from './pings/find-ping.ts'
import { listPingAddresses, releasePingAddress, reservePingAddress, rotatePingAddress } from './pings/ping-addresses.ts'
import { createPingKey, deletePingKey, listPingKeys } from './pings/ping-keys.ts'
import { requireResourceRoom, reservePinged, reserveReported } from './resources/reported.ts'
import { resealSecrets, settleSealingKey } from './resources/reseal-secrets.ts'
import { getResource, listResources, resolveResources } from './resources/resources.ts'
import { getBands } from './subjects/bands.ts'
import { getFigures } from './subjects/figures.ts'
import { getMonitor } from './subjects/monitor-state.ts'
import { reserveKey, reserveName } from './subjects/names.ts'
import { listObservations } from './subjects/observation-log.ts'
import { getOverview } from './subjects/overview.ts'
import { getRollUps } from './subjects/roll-ups.ts'
import { findSubjects, getSubject, listCustomSubjects, listWebsites, workspaceExists } from './subjects/subjects.ts'
import { getTrouble } from './subjects/trouble.ts'
import { countTemplateUses, getTemplate, listTemplates, publishTemplate, readTemplateManifest } from './templates/templates.ts'

export const answerers: { [V in AskVerb]: AskAnswerer<V> } = {
  authenticate,
  'touch-keys': touchKeys,
  'list-workspaces': listWorkspaces,
  'list-locations': listLocations,
  'ensure-location': ensureLocation,
  'reserve-name': reserveName,
  'get-subject': getSubject,
  'workspace-exists': workspaceExists,
  'list-websites': listWebsites,
  'list-custom-subjects': listCustomSubjects,
  'find-subjects': findSubjects,
  'list-open-incidents': listOpenIncidents,
  'get-incident': getIncident,
  'list-incident-responses': listIncidentResponses,
  'get-incident-records': getIncidentRecords,
  'get-roll-ups': getRollUps,
  'get-overview': getOverview,
  'list-conditions': listConditions,
  'get-monitor': getMonitor,
  'get-bands': getBands,
  'get-trouble': getTrouble,
  'get-figures': getFigures,
  'list-roster': ({ rosters }, request) => rosters.page(request),
  'rotate-destination-secret': rotateDestinationSecret,
  'delete-destination-secret': deleteDestinationSecret,
  'create-prober-credential': createProberCredential,
  'list-prober-credentials': listProberCredentials,
  'delete-prober-credential': deleteProberCredential,
  'record-audit': recordAudit,
  'list-audit': listAudit,
  'list-audited-workspaces': listAuditedWorkspaces,
  'list-incidents': listIncidents,
  'read-incident': readIncident,
  'read-acknowledge-link': readAcknowledgeLink,
  'rotate-acknowledge-links': rotateAcknowledgeLinks,
  'outline-incident': outlineIncident,
  'read-transitions': readTransitions,
  'find-address': findAddress,
  'create-address': createAddress,
  'list-addresses': listAddresses,
  'delete-address': deleteAddress,
  'reserve-reported': reserveReported,
  'find-ping': findPing,
  'find-push': findPush,
  'find-pinged': findPinged,
  'list-ping-addresses': listPingAddresses,
  'rotate-ping-address': rotatePingAddress,
  'reserve-ping-address': reservePingAddress,
  'release-ping-address': releasePingAddress,
  'create-ping-key': createPingKey,
  'list-ping-keys': listPingKeys,
  'delete-ping-key': deletePingKey,
  'reserve-pinged': reservePinged,
  'require-resource-room': requireResourceRoom,
  'take-check-room': ({ takeCheckRoom }, { workspaceId, more, most }) => takeCheckRoom(workspaceId, more, most),
  'reseal-secrets': resealSecrets,
  'settle-sealing-key': settleSealingKey,
  'create-destination': createDestination,
  'list-destinations': listDestinations,
  'get-destination': getDestination,
  'update-destination': updateDestination,
  'change-destination': changeDestination,
  'switch-destination': switchDestination,
  'make-default-destination': makeDefaultDestination,
  'delete-destination': deleteDestination,
  'create-transformation': createTransformation,
  'list-transformations': listTransformations,
  'get-transformation': getTransformation,
  'update-transformation': updateTransformation,
  'delete-transformation': deleteTransformation,
  'get-delivery-table': getDeliveryTable,
  'put-delivery-table': putDeliveryTable,
  'list-incident-deliveries': listIncidentDeliveries,
  'list-destination-deliveries': listDestinationDeliveries,
  'list-deliveries': listDeliveries,
  'list-delivery-log': listDeliveryLog,
  'create-user': createUser,
  'list-users': listUsers,
  'find-user': findUser,
  'update-user': updateUser,
  'delete-user': deleteUser,
  'set-password': setPassword,
  'sign-in': signIn,
  'sign-in-oidc': signInOidc,
  'find-session': findSession,
  'sign-out': signOut,
  'end-sessions': endSessions,
  'describe-user': describeUser,
  'create-workspace': createWorkspace,
  'rename-workspace': renameWorkspace,
  'delete-workspace': deleteWorkspace,
  'list-all-workspaces': listAllWorkspaces,
  'list-members': listMembers,
  'add-member': addMember,
  'change-role': changeRole,
  'remove-member': removeMember,
  invite,
  'list-workspace-invitations': listWorkspaceInvitations,
  'withdraw-invitation': withdrawInvitation,
  'list-invitations': listInvitations,
  'accept-invitation': acceptInvitation,
  'decline-invitation': declineInvitation,
  'create-key': createKey,
  'list-keys': listKeys,
  'delete-key': deleteKey,
  'create-location': createLocation,
  'update-location': updateLocation,
  'delete-location': deleteLocation,
  'get-resource': getResource,
  'resolve-resources': resolveResources,
  'list-resources': listResources,
  'list-observations': listObservations,
  'reserve-key': reserveKey,
  'publish-template': publishTemplate,
  'read-manifest': readTemplateManifest,
  'list-templates': listTemplates,
  'get-template': getTemplate,
  'count-template-uses': countTemplateUses,
}
