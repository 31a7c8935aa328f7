// The page that creates a website monitor.
import { pageTitle } from '../data/title.ts'
import { WebsiteForm } from './website-form.tsx'

export function NewMonitor() {
  pageTitle.value = 'New monitor'
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a>
      </p>
      <h1>Watch a website</h1>
      <p>
        Something that reports by itself, such as a backup? <a href="/monitors/new/reports">Add monitor for reports</a>
      </p>
      <WebsiteForm existing={null} />
    </>
  )
}
