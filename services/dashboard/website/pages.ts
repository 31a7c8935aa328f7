// The pages about websites, loaded together, because each page needs the same form.

export { EditMonitor as editMonitor } from './edit-monitor.tsx'
export { FirstRun } from './first-run.tsx'
export { NewMonitor as newMonitor } from './new-monitor.tsx'
