// Dialogs of actions on monitors, loaded together when the first dialog is opened.

export { AcknowledgeDialog } from './acknowledge-dialog.tsx'
export { ActDialog } from './act-dialog.tsx'
export { MaintenanceDialog } from './maintenance-dialog.tsx'
