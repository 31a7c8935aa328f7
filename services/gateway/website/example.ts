// Example of a website monitor in the documents of both generations.

/** Id of the workspace in examples. The page of the documents shows the id of the reader's first workspace instead. */
export const workspaceStandIn = 'WORKSPACE_ID'

export const inWorkspaceExample = { workspace_id: workspaceStandIn }

export const websiteExample = {
  name: 'Shop',
  interval: 60,
  request: { url: 'https://shop.example/health', method: 'GET' },
  response: { statuses: [200, 204], body: { content: 'healthy' } },
}

export const slowerExample = { ...websiteExample, name: 'Shop, every 5 minutes', interval: 300 }
