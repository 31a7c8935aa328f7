// The pages about websites, loaded together: each needs the same form.

export { EditMonitor as editMonitor } from './edit-monitor.tsx'
export { FirstRun } from './first-run.tsx'
export { NewMonitor as newMonitor } from './new-monitor.tsx'
