// The pages that add a monitor of a Template, loaded together.
export { NewReporting as newReporting } from './new-reporting.tsx'
export { NewResource as newResource } from './new-resource.tsx'
