// The parts of a monitor's page that are loaded later than the monitor's state, when they come into view or are needed.
import { lazy } from '../parts/lazy.tsx'

export const Ends = lazy(() => import('./ends.tsx').then(it => it.Ends))
export const Results = lazy(() => import('./results/results.tsx').then(it => it.Results))
export const Runs = lazy(() => import('../runs/runs.tsx').then(it => it.Runs))
export const UptimeDays = lazy(() => import('./figures/uptime-days.tsx').then(it => it.UptimeDays))
export const Maintenance = lazy(() => import('./maintenance/maintenance.tsx').then(it => it.Maintenance))
export const AlertDelivery = lazy(() => import('./messages/alert-delivery.tsx').then(it => it.AlertDelivery))
export const History = lazy(() => import('./past.ts').then(it => it.History))
export const Messages = lazy(() => import('./past.ts').then(it => it.Messages))
export const Log = lazy(() => import('./past.ts').then(it => it.Log))
export const EndActs = lazy(() => import('./end/end-acts.tsx').then(it => it.EndActs))
