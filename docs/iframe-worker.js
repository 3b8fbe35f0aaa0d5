/* SPDX-License-Identifier: Apache-2.0 */
/* A browser starts no worker from a file.  The site's search is one: where a page is opened from a file, it runs in a frame of the
   page, which has what a worker has.  The theme's plugin "offline" looks for "iframe-worker" in this file's name, and would
   otherwise fetch a script of this kind from elsewhere; the theme looks for IFrameWorker. */
"use strict";
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow, page = inside.document;
      page.open(); page.write("<!DOCTYPE html><title>search</title><body>"); page.close();
      const load = source => new Promise((done, failed) => {
        const script = page.createElement("script");
        script.src = source; script.onload = done;
        script.onerror = () => failed(new Error(`${source} cannot be read`));
        page.body.append(script);
      });
      inside.importScripts = async (...sources) => { for (const source of sources) await load(source); };
      inside.postMessage = data => setTimeout(() => this.dispatchEvent(new MessageEvent("message", {data: structuredClone(data)})));
      this.frame = frame;
      this.ready = load(String(address));
    }
    async postMessage(data) {
      await this.ready;
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", {data: structuredClone(data)}));
    }
    terminate() { this.frame.remove(); }
  };
}
