// The page that changes a monitor. A website monitor has a form of its own, every other monitor the form of its Template.

export { EditMonitor as editMonitor } from './edit-monitor.tsx'
