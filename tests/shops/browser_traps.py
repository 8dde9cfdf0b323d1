"""Pages that mean harm to the browser that renders them. Each says "a good page" in <main> if it says anything.

`INTERNAL` stands for the address of a server that must never be asked.
"""

from __future__ import annotations

GOOD = "<main>a good page</main>"
INTERNAL = "http://internal.invalid"

ENDLESS = {  # they never end by themselves
    "/spin": f"{GOOD}<script>for (;;) {{}}</script>",
    "/spin-late": f"{GOOD}<script>setTimeout(() => {{ for (;;) {{}} }}, 400)</script>",
    "/memory": f"{GOOD}<script>const a = []; for (;;) a.push(new Array(1e6).fill(Math.random()))</script>",
}
NUISANCES = {  # they want attention, another window, or a place on the disk
    "/alert": "<main></main><script>alert(1); confirm(2); document.querySelector('main').textContent = 'a good page'</script>",
    "/popup": f"{GOOD}<script>for (let i = 0; i < 5; i++) open('/good')</script>",
    "/ask": f"{GOOD}<script>onbeforeunload = () => 'stay'; print(); Notification.requestPermission?.()</script>",
    "/ticking": f"{GOOD}<b></b><script>setInterval(() => document.querySelector('b').append('tick '), 20)</script>",
    "/reload": f"{GOOD}<script>setTimeout(() => location.reload(), 30)</script>",
    "/download": f"{GOOD}<script>location.href = '/file'</script>",
}
GROWING = f"""{GOOD}<ul></ul><script>
  let n = 0;
  const grow = () => document.querySelector('ul').insertAdjacentHTML('beforeend', '<li style="height:9em"><a href="/p/' + n++ + '">x</a>'.repeat(20));
  addEventListener('scroll', grow); grow();
</script>"""
PRYING = f"""{GOOD}<iframe src="{INTERNAL}/frame"></iframe><script src="{INTERNAL}/script"></script>
<link rel=stylesheet href="{INTERNAL}/style"><link rel=prefetch href="{INTERNAL}/prefetch"><link rel=preconnect href="{INTERNAL}/">
<img src="{INTERNAL}/image"><object data="{INTERNAL}/object"></object><video src="{INTERNAL}/video"></video>
<form id=f target=w action="{INTERNAL}/form"></form><iframe name=w></iframe><iframe src="/moved"></iframe><script>
  for (const mode of ['cors', 'no-cors']) fetch('{INTERNAL}/fetch', {{mode}}).catch(() => 0);
  const x = new XMLHttpRequest(); x.open('GET', '{INTERNAL}/xhr'); x.send();
  navigator.sendBeacon('{INTERNAL}/beacon'); fetch('/moved').catch(() => 0);
  try {{ new WebSocket('{INTERNAL}/socket'.replace('http', 'ws')) }} catch (e) {{}}
  try {{ new EventSource('{INTERNAL}/events') }} catch (e) {{}}
  try {{ new Worker(URL.createObjectURL(new Blob(["fetch('{INTERNAL}/worker')"]))) }} catch (e) {{}}
  f.submit(); open('{INTERNAL}/window');
</script>"""


def traps(internal: str) -> dict[str, str]:
    """All of them by path; `internal` is the address that PRYING pries into. `/moved` must redirect there, `/file` be a download."""
    return {
        **ENDLESS,
        **NUISANCES,
        "/growing": GROWING,
        "/prying": PRYING.replace(INTERNAL, internal.rstrip("/")),
        "/good": GOOD,
    }
