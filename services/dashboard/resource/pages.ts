// The pages that add a monitor that reports by itself, loaded together.
export { NewReporting as newReporting } from './new-reporting.tsx'
export { NewResource as newResource } from './new-resource.tsx'
export { NewSubject as newSubject } from './new-subject.tsx'
