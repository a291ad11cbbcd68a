/** The minified files of pdf.js have no types of their own. They load faster: each file of a user is a new process. */
declare module 'pdfjs-dist/legacy/build/pdf.min.mjs' {
  export * from 'pdfjs-dist';
}
