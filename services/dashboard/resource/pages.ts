// The pages that add a monitor, loaded together, because most of them have the same form.
export { FirstRun, NewMonitor as newMonitor } from './new-monitor.tsx'
export { NewReporting as newReporting } from './new-reporting.tsx'
export { NewResource as newResource } from './new-resource.tsx'
