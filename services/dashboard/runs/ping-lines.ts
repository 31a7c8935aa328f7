// Lines by which a job pings its address, to copy. Pure.

export interface PingLine {
  name: string
  line: string
}

/** `url`: the ping address. `cron`: the expression of the job; empty: none. */
export function pingLines(url: string, cron: string): PingLine[] {
  const ping = `curl -fsS -m 10 --retry 5 -o /dev/null ${url}`
  const at = url.lastIndexOf('/')
  return [
    { name: 'crontab', line: `${cron === '' ? '30 2 * * *' : cron} backup.sh && ${ping}` },
    {
      name: 'shell, with start and exit status',
      line: `curl -fsS -m 10 --retry 5 ${url}/start; backup.sh; curl -fsS -m 10 --retry 5 ${url}/$?`,
    },
    { name: 'systemd', line: `ExecStartPost=${ping}` },
    { name: 'PowerShell', line: `Invoke-RestMethod ${url}` },
    { name: 'runitor', line: `runitor -api-url ${url.slice(0, at)} -uuid ${url.slice(at + 1)} -- backup.sh` },
  ]
}
