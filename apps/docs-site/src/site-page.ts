/** A Markdown file of the repository as a page of the site. */
export type SitePage = {
  /** Path in the repository, such as `docs/guides/runs.md`. */
  readonly file: string
  /** Path on the site without the base, such as `guides/runs`. The index is `index`. */
  readonly slug: string
  readonly title: string
  /** The first sentence of the page. */
  readonly description: string
  /** The Markdown below the title, as it is in the repository. */
  readonly body: string
}
