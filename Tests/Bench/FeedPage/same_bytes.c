/* The lower bound of the bench: the same bytes from memory, with libfcgi only. */
#include <fcgiapp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *page;
static size_t length;
static int listener;

static void *answer(void *unused) {
    (void)unused;
    FCGX_Request request;
    FCGX_InitRequest(&request, listener, 0);
    while (FCGX_Accept_r(&request) == 0) {
        FCGX_FPrintF(request.out, "Status: 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n");
        FCGX_PutStr(page, (int)length, request.out);
        FCGX_Finish_r(&request);
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    FILE *file = fopen(arguments[2], "rb");
    if (!file) return 66;
    fseek(file, 0, SEEK_END);
    length = (size_t)ftell(file);
    rewind(file);
    page = malloc(length);
    if (!page || fread(page, 1, length, file) != length) return 66;
    fclose(file);
    FCGX_Init();
    listener = FCGX_OpenSocket(arguments[1], 1024);
    int threads = atoi(arguments[3]);
    pthread_t last;
    for (int number = 0; number < threads; number++) pthread_create(&last, NULL, answer, NULL);
    pthread_join(last, NULL);
    return 0;
}
