import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { sidebarOf } from './src/sidebar.ts'
import { basePath, readSitePages, version } from './src/site-pages.ts'

export default defineConfig({
  base: basePath,
  trailingSlash: 'ignore',
  outDir: './dist',
  publicDir: './public',
  // Pictures are served as they are: no machine code for images is needed.
  image: { service: passthroughImageService() },
  // A script or style inlined into a page would need a hole in the policy of the gateway.
  build: { inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 } },
  integrations: [
    starlight({
      title: `Agent Run Service ${version}`,
      favicon: '/icon.svg',
      customCss: ['./src/site.css'],
      head: [{ tag: 'script', attrs: { src: `${basePath}/requests.js`, defer: true } }],
      sidebar: sidebarOf(readSitePages()) as never,
      pagination: false,
      credits: false,
      expressiveCode: { themes: ['github-dark', 'github-light'], defaultProps: { frame: 'none' } },
    }),
  ],
})
