// What both generations share, and the short lists: version, workspaces, locations, regions (spec A).
import { Type } from 'typebox'
import { Answered, type Descriptions, Kind, type RouteDescription } from './description.ts'

const Workspace = Answered('Workspace', {
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['owner', 'editor', 'viewer'], { description: "The caller's role." }),
  kind: Kind('workspace'),
})

const place = {
  id: Type.String(),
  name: Type.String({ description: 'What monitors refer to it by.' }),
  active_workers_count: Type.Integer({ minimum: 0, description: 'Probers that serve it now.' }),
}
const Location = Answered('Location', { ...place, kind: Kind('location') })
const Region = Answered('Region', { ...place, display_name: Type.Optional(Type.String()), kind: Kind('region') })

const workspaces: RouteDescription = {
  summary: "The workspaces that the key's owner is a member of.",
  result: Type.Array(Workspace),
  refusals: [],
}

const version: Descriptions = {
  'GET /version': {
    summary: "The server's version; both generations share it.",
    result: Type.String({ examples: ['2.0.0'] }),
    refusals: [],
  },
}

export const generalOfV1: Descriptions = {
  ...version,
  'GET /v1/workspaces': workspaces,
  'GET /v1/regions': {
    summary: 'The regions from which rules can be checked, the same for everybody.',
    result: Type.Array(Region),
    refusals: [],
  },
}

export const generalOfV2: Descriptions = {
  ...version,
  'GET /v2/workspaces': workspaces,
  'GET /v2/locations': {
    summary: 'The locations from which monitors can be checked, the same for everybody.',
    result: Type.Array(Location),
    refusals: [],
  },
}
