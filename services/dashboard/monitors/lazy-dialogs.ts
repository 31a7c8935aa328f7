// Dialogs of acts on monitors, loaded on demand, because most people only read these pages.
import { lazy } from '../parts/lazy.tsx'

export const AcknowledgeDialog = lazy(() => import('./dialogs.ts').then(it => it.AcknowledgeDialog))
export const MaintenanceDialog = lazy(() => import('./dialogs.ts').then(it => it.MaintenanceDialog))
