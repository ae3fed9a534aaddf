if (!crossOriginIsolated && 'serviceWorker' in navigator) {
  await navigator.serviceWorker.register('isolate.js');
  await navigator.serviceWorker.ready;
  if (!sessionStorage.isolated) {
    sessionStorage.isolated = 'tried'; // prevents endless reloads
    location.reload();
  }
}
