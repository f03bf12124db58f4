print("hello") # ‮
