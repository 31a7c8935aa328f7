// A website monitor as the documents of both generations show it.

/** The page of the documents puts the first workspace of its reader in its place. */
export const workspaceStandIn = 'WORKSPACE_ID'

export const inWorkspaceExample = { workspace_id: workspaceStandIn }

export const websiteExample = {
  name: 'Shop',
  interval: 60,
  request: { url: 'https://shop.example/health', method: 'GET' },
  response: { statuses: [200, 204], body: { content: 'healthy' } },
}

export const slowerExample = { ...websiteExample, name: 'Shop, every 5 minutes', interval: 300 }
