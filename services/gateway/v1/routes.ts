// All routes of generation 1. The routes for one kind of object are in one file.
import type { Route } from '../http/route.ts'
import { listRegions, listWorkspaces } from '../v2/general.ts'
import { ruleRoutes } from './rules.ts'

export const v1Routes: readonly Route[] = [listWorkspaces, listRegions, ...ruleRoutes]
